"""A newer build of the web app takes the place of an older one as a whole."""

import os
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from frontend.dist import SOURCES

pytestmark = [pytest.mark.slow, pytest.mark.browser]

PAGE = """<!doctype html><title>{build}</title><link rel="icon" href="data:," />
<script>
  window.changes = 0;
  navigator.serviceWorker.addEventListener('controllerchange', () => window.changes++);
  navigator.serviceWorker.register('/sw.js');
</script>
<script src="/assets/app.js"></script>
"""


class Handler(SimpleHTTPRequestHandler):
    """Serves with the headers of the app: what has a fixed name may be kept for an hour."""

    def end_headers(self):
        kept = self.path.startswith("/assets/")
        self.send_header("Cache-Control", "public, max-age=3600" if kept else "no-cache")
        super().end_headers()

    def log_message(self, format, *args):
        pass


def build(folder, name, seconds):
    """What the files of one build look like: each says which build it is of.

    seconds: when it was made; two of one time would be the same to a browser that asks.
    """
    worker = (SOURCES / "public" / "sw.js").read_text()
    assert "'shell-of-no-build'" in worker
    files = {
        "index.html": PAGE.format(build=name),
        "sw.js": worker.replace("shell-of-no-build", f"shell-{name}"),
        "assets/app.js": f"window.app = '{name}'",
        "assets/hljs.js": f"export const build = '{name}'",
        "assets/hljs.css": f":root {{ --build: {name} }}",
    }
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
        os.utime(folder / path, (seconds, seconds))


@pytest.fixture
def site(tmp_path):
    """The folder of a site, and its address."""
    build(tmp_path, "old", 10**9)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield tmp_path, f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


LOADED = """async () => {
  const text = await (await fetch('/assets/hljs.css')).text();
  const { build } = await import('/assets/hljs.js');
  return [document.title, window.app, build, /old|new/.exec(text)[0]];
}"""


def test_files_of_two_builds_never_come_together(browser, site):
    folder, url = site
    page = browser.new_context().new_page()
    page.goto(url)
    page.wait_for_function("window.changes === 1")
    assert page.evaluate(LOADED) == ["old"] * 4

    build(folder, "new", 10**9 + 60)
    page.goto(url)
    assert page.evaluate("[document.title, window.app]") == ["old"] * 2  # at once, as it was kept
    page.evaluate("navigator.serviceWorker.getRegistration().then(found => found.update())")
    page.wait_for_function("window.changes === 1")
    page.goto(url)

    assert page.evaluate(LOADED) == ["new"] * 4
    page.context.close()


FIXED = """performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)
  .filter(path => path.startsWith('/assets/') && !path.startsWith('/assets/chunks/'))"""
CONTROLLED = """async () => {
  const workers = navigator.serviceWorker;
  const changed = new Promise(done => workers.addEventListener('controllerchange', done));
  if (!workers.controller) await changed;
}"""
KEPT = """async () => {
  const [name] = await caches.keys();
  const requests = await (await caches.open(name)).keys();
  return requests.map(({ url }) => new URL(url).pathname).sort();
}"""
SHELL = ["/", "/assets/app.js", "/assets/hljs.css", "/assets/hljs.js"]


def test_the_shell_alone_makes_the_next_visit(open_app):
    app = open_app().open()
    app.page.evaluate(CONTROLLED)
    assert app.page.evaluate(KEPT) == SHELL

    answer = app.page.reload()

    assert answer.from_service_worker
    app.page.get_by_text("What are we working on?").wait_for()
    # Nothing else has a name that tells no build, so nothing can be of another one.
    assert set(app.page.evaluate(FIXED)) <= {*SHELL, "/assets/icon.svg"}
    assert app.page.evaluate("getComputedStyle(document.body).overflow") == "hidden"
