"""The web app keeps pace with a fast model: no frames are lost while a long answer streams.

WEB_APP_PACE_TOKENS=10000 streams a whole long answer, which takes the best part of a minute.
"""

import json
import os

import pytest

from tests.plugins.web_app import KEEP_SOCKETS

pytestmark = [pytest.mark.alone, pytest.mark.slow, pytest.mark.browser]

TOKENS = int(os.environ.get("WEB_APP_PACE_TOKENS", "600"))
RATE = 200  # tokens a second
TEXT = (
    "A paragraph with **bold** words and `code`, long enough to wrap.\n\n"
    "```python\ndef f(x):\n    return x + 1\n```\n\n- one\n- two\n\n"
    "| a | b |\n| - | - |\n| 1 | 2 |\n\n"
)
# Stands in for the server in the page itself, so that nothing but the app's own work is measured.
STREAM = """
([text, tokens, rate]) => new Promise((done) => {
  const socket = window.sockets.at(-1);
  const say = (frame) =>
    socket.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(frame) }));
  const words = text.match(/\\s*\\S+\\s?/g);
  const started = performance.now();
  let sent = 0, last = 0, frames = 0, dropped = 0;
  say({ type: 'turn_start' });
  const timer = setInterval(() => {
    const due = Math.min(tokens, ((performance.now() - started) * rate) / 1000);
    while (sent < due) say({ type: 'text_delta', delta: words[sent++ % words.length] });
    if (sent < tokens) return;
    clearInterval(timer);
    say({ type: 'turn_end' });
    done({ frames, dropped });
  }, 5);
  const look = (now) => {
    if (last) {
      const whole = Math.max(1, Math.round((now - last) / (1000 / 60)));
      frames += whole;
      dropped += whole - 1;
    }
    last = now;
    if (sent < tokens) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})
"""


def test_few_frames_are_dropped_while_a_fast_answer_streams(open_app):
    app = open_app()
    app.page.add_init_script(KEEP_SOCKETS)
    app.open()
    app.page.get_by_text("answers on this computer").wait_for()

    app.page.set_default_timeout(1000 * (TOKENS / RATE + 30))
    seen = app.page.evaluate(STREAM, [TEXT, TOKENS, RATE])

    assert app.answers.last.locator(".code").count() > TOKENS // 100
    assert seen["dropped"] < seen["frames"] / 10, json.dumps(seen)


def test_nothing_that_is_read_moves_while_an_answer_streams(open_app):
    app = open_app()
    app.page.add_init_script(KEEP_SOCKETS)
    app.open()
    app.say("first")
    app.answers.first.get_by_text("You said: first").wait_for()
    app.page.evaluate(
        "window.shift = 0; new PerformanceObserver((list) => list.getEntries().forEach("
        "(entry) => (window.shift += entry.value))).observe({ type: 'layout-shift' })"
    )

    app.page.evaluate(STREAM, [TEXT, 200, RATE])

    assert app.page.evaluate("window.shift") < 0.1
