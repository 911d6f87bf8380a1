// Lets the site's search work from disk. Browsers run no workers for pages opened as files: there, and only
// there, a hidden frame takes the worker's place. The theme's offline plugin brings the index as a script; a
// file of this name keeps it from loading a shim from elsewhere.
if (location.protocol === "file:") {
    window.Worker = class extends EventTarget {
        constructor(url) {
            super();
            this.frame = document.createElement("iframe");
            this.frame.hidden = true;
            this.frame.srcdoc = "";
            this.inside = new Promise((ready, failed) => {
                this.frame.onload = () => {
                    const inside = this.frame.contentWindow;
                    // What the script posts comes out here, as if it came from a worker.
                    inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}));
                    const script = inside.document.createElement("script");
                    script.src = new URL(url, location.href);
                    script.onload = () => ready(inside);
                    script.onerror = () => failed(new Error(`${script.src} cannot be read`));
                    inside.document.body.append(script);
                };
            });
            document.body.append(this.frame);
        }

        postMessage(data) {
            this.inside.then(inside => inside.dispatchEvent(new MessageEvent("message", {data})));
        }

        terminate() {
            this.frame.remove();
        }
    };
}
