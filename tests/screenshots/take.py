"""Pictures of every page and panel of the web app, in three widths and both themes.

`make screenshots` writes them to build/screenshots, with a page that shows them all.
`make screenshots ARGS="chat"` takes only those whose name holds a word, and `ARGS="--readme"`
renews the one in the README.
"""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, Error, sync_playwright

from tests.plugins.server import ServerProcess, spawn, stop
from tests.plugins.web_app import KEEP_SOCKETS, App
from tests.screenshots import canned, scenes

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "screenshots"
README = ROOT / "docs" / "images" / "chat.png"
WIDTHS = (375, 768, 1280)
SCHEMES = ("light", "dark")
HEIGHT = 800
ANSWERS = {
    "/library*": canned.LIBRARY,
    "/api/hub/local": canned.LIBRARY,
    "/downloads": canned.DOWNLOADS,
    "/api/hub/search*": canned.SEARCH,
    "/v1/adapters/available": canned.ADAPTERS,
    "/v1/adapters": canned.MOUNTED,
    "/api/gc/plan": canned.GC,
    **{f"{path}*": {"ok": True, **body} for path, body in canned.MEMORY.items()},
}


def open_app(browser: Browser, server: ServerProcess, width: int, scheme: str) -> App:
    context = browser.new_context(
        viewport={"width": width, "height": HEIGHT}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.set_default_timeout(15_000)
    page.add_init_script("localStorage.setItem('mlxsite.developer', 'true')")
    page.add_init_script(KEEP_SOCKETS)
    app = App(page, server.url)
    for path, body in ANSWERS.items():
        scenes.answer(app, path, body)
    return app


def take(browser: Browser, server: ServerProcess, name: str, width: int, scheme: str) -> Path:
    route, go = scenes.SCENES[name]
    app = open_app(browser, server, width, scheme)
    path = FOLDER / f"{name}-{width}-{scheme}.png"
    try:
        app.open(route)
        app.page.wait_for_timeout(500)
        go(app)
        app.page.wait_for_timeout(200)
    except Error as error:
        sys.stderr.write(f"{path.name}: {str(error).splitlines()[0]}\n")
    app.page.screenshot(path=path)
    app.page.context.close()
    return path


def overview(names: list[str]) -> None:
    """A page that shows all pictures there are, those of a scene side by side."""
    rows = [
        f"<h2>{name}</h2><div>"
        + "".join(
            f'<img loading="lazy" src="{name}-{width}-{scheme}.png" height="400">'
            for scheme in SCHEMES
            for width in WIDTHS
        )
        + "</div>"
        for name in names
    ]
    style = "<style>body{font:14px sans-serif}img{margin:4px;border:1px solid #888}</style>"
    (FOLDER / "index.html").write_text(style + "\n".join(rows), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("word", nargs="?", default="")
    parser.add_argument("--readme", action="store_true")
    options = parser.parse_args()
    names = [name for name in scenes.SCENES if options.word in name]
    FOLDER.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        env = {"MLXSITE_CACHE_DIR": f"{folder}/cache", "MLXSITE_WORKSPACE": f"{folder}/workspace"}
        server = spawn(Path(folder), "--scripted", env=env)
        server.wait_until_ready()
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        began = time.monotonic()
        try:
            if options.readme:
                shutil.copy(take(browser, server, "conversation", 1280, "light"), README)
            else:
                for name in names:
                    for scheme in SCHEMES:
                        for width in WIDTHS:
                            take(browser, server, name, width, scheme)
                overview(names)
        finally:
            browser.close()
            stop(server)
    sys.stdout.write(f"{FOLDER}: {time.monotonic() - began:.0f} s\n")


if __name__ == "__main__":
    main()
