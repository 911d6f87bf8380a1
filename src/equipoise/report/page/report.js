"use strict";
(function () {
  // Every text from a model, a name or a path goes into the page as a text node, never as markup.
  function make(tag, className, text) {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined && text !== null) node.textContent = String(text);
    return node;
  }
  const byId = (id) => document.getElementById(id);
  const root = document.documentElement;

  const themes = ["auto", "light", "dark"];
  function setTheme(name) {
    if (name === "auto") root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", name);
    byId("theme").textContent = "Theme: " + name;
    byId("theme").dataset.now = name;
  }
  function remember(name) {
    try {
      if (name === undefined) return localStorage.getItem("equipoise-theme");
      localStorage.setItem("equipoise-theme", name);
    } catch (error) { /* A file opened from disk may have no storage. */ }
    return null;
  }
  const kept = remember();
  setTheme(themes.includes(kept) ? kept : "auto");
  byId("theme").hidden = false;
  byId("theme").addEventListener("click", () => {
    const next = themes[(themes.indexOf(byId("theme").dataset.now) + 1) % themes.length];
    setTheme(next);
    remember(next);
  });

  let opened = [];
  window.addEventListener("beforeprint", () => {
    // Settings would fill more paper than all that is found with them.
    opened = [...document.querySelectorAll("section:not(#provenance) details:not([open])")];
    for (const one of opened) one.open = true;
  });
  window.addEventListener("afterprint", () => { for (const one of opened) one.open = false; });

  const source = byId("data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  source.remove();
  const [GAME, SOURCE, POLICY, POOL, OPPONENT, SEAT, DEAL, PLAYERS, STOP, RULES, TURNS, ROUNDS, NOTES] = Array(13).keys();
  const [T_SEAT, T_ROUND, T_LABEL, T_ACTION, T_ASKED, T_MIX, T_VALID, T_RETRIES, T_DETAIL, T_WRITTEN, T_ADVANTAGE, T_PARTS] = Array(12).keys();
  const text = (number) => data.texts[number || 0];
  const PAGE = 50;

  function totals(episode) {
    const sums = episode[PLAYERS].map(() => 0);
    for (const [payoffs] of episode[ROUNDS]) payoffs.forEach((payoff, seat) => { sums[seat] += payoff; });
    return sums;
  }
  function others(episode, sums) {
    const rest = sums.filter((_, seat) => seat !== episode[SEAT]);
    return rest.length ? rest.reduce((a, b) => a + b, 0) / rest.length : null;
  }
  function outcomes(episode) {
    const sums = totals(episode), own = sums[episode[SEAT]], other = others(episode, sums), found = [];
    if (other !== null) found.push(own > other + 1e-9 ? "policy ahead" : own < other - 1e-9 ? "policy behind" : "even");
    if (episode[ROUNDS].some((round) => round[1] > 0)) found.push("collusion or predation");
    if (episode[ROUNDS].some((round) => round[2] > 0)) found.push("cost on others");
    if (episode[TURNS].some((turn) => turn[T_SEAT] === episode[SEAT] && turn[T_VALID])) found.push("invalid answer");
    if (text(episode[STOP]) !== "finished") found.push("ended: " + text(episode[STOP]));
    return found;
  }
  const marks = data.episodes.map(outcomes);
  const named = (table, place) => (episode) => [data[table][episode[place]]];
  const several = (table) => data[table].length > 1;
  const filters = [
    ["Game", named("games", GAME)],
    ...(several("sources") ? [["Folder", named("sources", SOURCE)]] : []),
    ["Policy", named("policies", POLICY)],
    ["Pool", named("pools", POOL)],
    ["Opponent", named("opponents", OPPONENT)],
    ["Seat", (episode) => [String(episode[SEAT])]],
    ["Outcome", (episode, index) => marks[index]],
  ].map(([name, values]) => ({ name, values, select: null }));

  let shown = [], page = 0, current = -1, step = 0;

  function matches(index, except) {
    return filters.every((filter) => filter === except || !filter.select.value ||
      filter.values(data.episodes[index], index).includes(filter.select.value.slice(1)));
  }
  // Each menu offers what the others leave, with how often it occurs.
  function fill(filter) {
    const counts = new Map();
    data.episodes.forEach((episode, index) => {
      if (!matches(index, filter)) return;
      for (const value of filter.values(episode, index)) counts.set(value, (counts.get(value) || 0) + 1);
    });
    const before = filter.select.value;
    if (before && !counts.has(before.slice(1))) counts.set(before.slice(1), 0);
    const any = make("option", "", "any");
    any.value = "";
    const options = [...counts.keys()].sort((a, b) => a.localeCompare(b, "en", { numeric: true })).map((value) => {
      const option = make("option", "", value + " (" + counts.get(value).toLocaleString("en") + ")");
      option.value = "=" + value;
      return option;
    });
    filter.select.replaceChildren(any, ...options);
    filter.select.value = before;
  }
  function apply() {
    filters.forEach(fill);
    shown = [];
    data.episodes.forEach((_, index) => { if (matches(index)) shown.push(index); });
    byId("count").textContent = shown.length.toLocaleString("en") + " of " + data.episodes.length.toLocaleString("en") + " episodes";
    page = 0;
    list();
    choose(shown.length ? 0 : -1, false);
  }
  const fine = (number) => Number(number.toPrecision(3)).toLocaleString("en", {maximumFractionDigits: 6}).replace("-", "−");
  const round2 = (number) => number === null ? "" : (Math.round(number * 100) / 100 + 0).toLocaleString("en").replace("-", "−");

  function list() {
    const pages = Math.max(1, Math.ceil(shown.length / PAGE));
    byId("page").textContent = "page " + (page + 1) + " of " + pages;
    byId("earlier").disabled = page === 0;
    byId("later").disabled = page >= pages - 1;
    byId("list").replaceChildren(...shown.slice(page * PAGE, (page + 1) * PAGE).map((index, place) => {
      const episode = data.episodes[index], sums = totals(episode), item = make("li"), button = make("button");
      button.type = "button";
      button.append(
        make("span", "", data.policies[episode[POLICY]] + " – " + data.opponents[episode[OPPONENT]]),
        make("span", "", round2(sums[episode[SEAT]]) + (sums.length > 1 ? " : " + round2(others(episode, sums)) : "")),
        make("span", "sub", data.games[episode[GAME]] + ", " + data.pools[episode[POOL]] + ", seat " + episode[SEAT] + ", deal " + episode[DEAL]),
      );
      button.addEventListener("click", () => choose(page * PAGE + place, false));
      item.append(button);
      return item;
    }));
  }
  function choose(place, focus) {
    current = place;
    step = 0;
    if (place >= 0 && Math.floor(place / PAGE) !== page) {
      page = Math.floor(place / PAGE);
      list();
    }
    [...byId("list").querySelectorAll("button")].forEach((button, number) => {
      const chosen = page * PAGE + number === place;
      button.setAttribute("aria-current", chosen ? "true" : "false");
      if (chosen && focus) button.focus();
      if (chosen && focus) button.scrollIntoView({ block: "nearest" });
    });
    view();
  }

  function title(parent, words) { parent.append(make("h4", "", words)); }
  function fact(parent, name, value) { parent.append(make("dt", "", name), make("dd", "", value)); }

  function view() {
    const viewer = byId("viewer");
    if (current < 0) {
      viewer.replaceChildren(make("p", "note", "No episode matches: set a filter back to “any”."));
      return;
    }
    const episode = data.episodes[shown[current]], sums = totals(episode), nodes = [];
    nodes.push(make("h3", "", data.policies[episode[POLICY]] + " against " + data.opponents[episode[OPPONENT]]));
    nodes.push(make("p", "small", data.games[episode[GAME]] + ", pool " + data.pools[episode[POOL]] + ", deal " + episode[DEAL] +
      ". Payoffs " + episode[PLAYERS].map((name, seat) => round2(sums[seat]) + " (seat " + seat + (seat === episode[SEAT] ? ", the policy" : "") + ")").join(", ") + "."));
    const said = outcomes(episode).join(", ");
    if (said || text(episode[NOTES])) nodes.push(make("p", "small", [said, text(episode[NOTES])].filter(Boolean).join("; ")));
    if (episode[TURNS].length) nodes.push(strip(episode), ...decision(episode));
    else nodes.push(make("p", "note", "No decision was made."));
    viewer.replaceChildren(...nodes);
  }
  // A word of the rules is told by its first letter, a sentence by its number.
  function short(action, number) {
    const dense = action.replace(/, /g, ",");
    return dense.length <= 6 ? dense : /^[A-Z]+$/.test(dense) ? dense.slice(0, 1) : "#" + (number + 1);
  }
  function strip(episode) {
    const strip = make("div", "strip");
    let round = null, group = null;
    episode[TURNS].forEach((turn, number) => {
      if (turn[T_ROUND] !== round) {
        round = turn[T_ROUND];
        group = make("div", "turns");
        group.setAttribute("role", "group");
        group.setAttribute("aria-label", "round " + (round + 1));
        strip.append(group);
      }
      const action = text(turn[T_ACTION]), button = make("button", turn[T_SEAT] === episode[SEAT] ? "own" : "", short(action, number));
      button.type = "button";
      button.tabIndex = -1;
      if (turn[T_VALID]) button.classList.add("bad");
      button.setAttribute("aria-label", "decision " + (number + 1) + ", seat " + turn[T_SEAT] + ": " + action);
      if (number === step) button.setAttribute("aria-current", "step");
      button.addEventListener("click", () => go(number));
      group.append(button);
    });
    return strip;
  }
  function decision(episode) {
    const turn = episode[TURNS][step], nodes = [], seat = turn[T_SEAT], own = seat === episode[SEAT];
    const steps = make("div", "steps"), back = make("button", "", "←"), on = make("button", "", "→");
    back.type = on.type = "button";
    back.disabled = step === 0;
    on.disabled = step >= episode[TURNS].length - 1;
    back.setAttribute("aria-label", "previous decision");
    on.setAttribute("aria-label", "next decision");
    back.addEventListener("click", () => go(step - 1));
    on.addEventListener("click", () => go(step + 1));
    steps.append(back, on, make("span", "", "Decision " + (step + 1) + " of " + episode[TURNS].length + ", round " + (turn[T_ROUND] + 1) + ": seat " + seat + ", " + data.policies[episode[PLAYERS][seat]] + (own ? " (the policy)" : "")));
    steps.setAttribute("role", "status");
    nodes.push(steps);
    asked(nodes, episode, turn);
    written(nodes, turn);
    odds(nodes, turn);
    nodes.push(facts(episode, turn));
    return nodes;
  }
  function asked(nodes, episode, turn) {
    const box = make("div");
    if (text(turn[T_ASKED])) {
      title(box, "What it was asked");
      box.append(make("pre", "", text(turn[T_ASKED])));
      if (text(episode[RULES])) {
        const rules = make("details", "more");
        rules.append(make("summary", "", "The rules it was told"), make("pre", "", text(episode[RULES])));
        box.append(rules);
      }
    }
    title(box, "What it knew, in the game’s notation");
    box.append(make("pre", "", text(turn[T_LABEL]) || "nothing"));
    nodes.push(box);
  }
  function written(nodes, turn) {
    for (const [role, words, stop, tokens, logprob, advantage] of turn[T_WRITTEN] || []) {
      const box = make("div");
      const facts = [tokens + " tokens"];
      if (logprob !== null) facts.push("log-probability " + round2(logprob));
      if (text(stop) !== "finished") facts.push("ended: " + text(stop));
      if (advantage !== null) facts.push("advantage " + round2(advantage));
      title(box, "Written, as " + text(role) + " (" + facts.join(", ") + ")");
      box.append(make("pre", "", text(words) || "(nothing)"));
      nodes.push(box);
    }
  }
  function odds(nodes, turn) {
    if (!turn[T_MIX]) return;
    const mix = data.mixes[turn[T_MIX] - 1], grid = make("div", "odds"), box = make("div");
    title(box, "Probabilities");
    for (let place = 0; place + 1 < mix.length; place += 2) {
      const picked = mix[place] === turn[T_ACTION] ? "picked" : "", bar = make("div", "bar");
      bar.style.width = 100 * mix[place + 1] + "%";
      grid.append(make("span", picked, text(mix[place])), bar, make("span", picked, mix[place + 1].toFixed(3)));
    }
    box.append(grid);
    if (mix.length % 2) box.append(make("p", "note", mix[mix.length - 1] + " more are less likely."));
    nodes.push(box);
  }
  function facts(episode, turn) {
    const list = make("dl", "facts"), outcome = episode[ROUNDS][turn[T_ROUND]];
    fact(list, "played", text(turn[T_ACTION]));
    if (turn[T_VALID]) {
      list.append(make("dt", "", "answer"), make("dd", "warn", data.validities[turn[T_VALID]] + (text(turn[T_DETAIL]) ? ": " + text(turn[T_DETAIL]) : "")));
    }
    if (turn[T_RETRIES]) fact(list, "tries", turn[T_RETRIES] + 1);
    if (turn[T_ADVANTAGE] !== undefined && turn[T_ADVANTAGE] !== null) {
      const parts = (turn[T_PARTS] || []).map(([name, value]) => text(name) + " " + fine(value));
      fact(list, "advantage", fine(turn[T_ADVANTAGE]) + (parts.length ? " (" + parts.join(", ") + ")" : ""));
    }
    if (outcome) {
      const sums = episode[PLAYERS].map(() => 0);
      episode[ROUNDS].slice(0, turn[T_ROUND] + 1).forEach(([payoffs]) => payoffs.forEach((payoff, seat) => { sums[seat] += payoff; }));
      fact(list, "payoffs this round", outcome[0].map(round2).join(" : ") + " (seat 0 first)");
      fact(list, "so far", sums.map(round2).join(" : "));
      if (outcome[1] !== null) fact(list, "collusion", round2(outcome[1]));
      if (outcome[2] !== null) fact(list, "cost on others", round2(outcome[2]));
    }
    return list;
  }
  function go(to) {
    const last = current < 0 ? -1 : data.episodes[shown[current]][TURNS].length - 1;
    if (to < 0 || to > last) return;
    step = to;
    const inside = byId("viewer").contains(document.activeElement);
    view();
    if (inside) byId("viewer").focus({ preventScroll: true });
  }
  function turnPage(by) {
    page += by;
    list();
    choose(page * PAGE, false);
  }

  for (const filter of filters) {
    const label = make("label", "", filter.name);
    filter.select = make("select");
    filter.select.addEventListener("change", apply);
    label.append(filter.select);
    byId("filters").append(label);
  }
  byId("earlier").addEventListener("click", () => turnPage(-1));
  byId("later").addEventListener("click", () => turnPage(1));
  byId("browse").addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("select, pre, summary")) return;
    const inList = byId("list").contains(event.target), keys = {
      ArrowLeft: () => go(step - 1),
      ArrowRight: () => go(step + 1),
      Home: () => go(0),
      End: () => go(current < 0 ? -1 : data.episodes[shown[current]][TURNS].length - 1),
      ...(inList ? {
        ArrowUp: () => choose(Math.max(current - 1, 0), true),
        ArrowDown: () => choose(Math.min(current + 1, shown.length - 1), true),
      } : {}),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  byId("browse").hidden = false;
  apply();
})();
