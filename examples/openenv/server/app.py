"""The server: ``uvicorn server.app:app`` or ``python -m server.app`` in the folder above."""

from equipoise.adapters.openenv import game_app

app = game_app("ipd", seed=0, deals=100)


def main() -> None:
    """Serve to whoever can reach this container."""
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
