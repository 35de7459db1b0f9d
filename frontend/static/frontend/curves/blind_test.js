// Two samples, one along the curve and one as the model draws by itself. Which is which?

import { card } from "./samples.js";
import { element } from "../element.js";

export class BlindTest {
  rounds = 0;
  right = 0;

  /** Two bodies for `/generate`, in an order of chance, with seeds that nobody saw before. */
  static bodies({ prompt, curve, max_tokens }) {
    const [one, other, coin] = crypto.getRandomValues(new Uint32Array(3));
    const common = { prompt, max_tokens, n: 1 };
    const pair = [
      { ...common, seed: one, default: true },
      { ...common, seed: other, curve },
    ];
    return coin % 2 ? pair : pair.reverse();
  }

  /** answers: of `/generate`, in the order to show. Returns what to put on the page. */
  show(answers) {
    const question = element("p", { class: "how" }, "Which one follows the curve?");
    const shown = answers.map(({ samples: [sample] }, i) => {
      const made = card(`Sample ${"AB"[i]}`, { text: sample.text, junk: false });
      const guess = element("button", { type: "button", class: "guess" }, `${"AB"[i]} follows it`);
      guess.addEventListener("click", () => this.#reveal(question, shown, answers, i));
      made.append(guess);
      return made;
    });
    return [question, element("div", { class: "pair" }, ...shown)];
  }

  #reveal(question, shown, answers, guessed) {
    const isRight = answers[guessed].mode === "curve";
    this.rounds += 1;
    this.right += isRight ? 1 : 0;
    question.textContent =
      `${isRight ? "Right" : "Wrong"}: ${"AB"[guessed]} ` +
      `${isRight ? "follows the curve" : "is the model’s own"}. ` +
      `${this.right} of ${this.rounds} right so far.`;
    question.classList.add(isRight ? "right" : "wrong");
    shown.forEach((made, i) => {
      const { mode, seed, samples } = answers[i];
      const whose = mode === "curve" ? "the curve" : "the model";
      const revealed = card(`${"AB"[i]}: ${whose}, seed ${seed}`, samples[0]);
      revealed.classList.add(mode);
      made.replaceWith(revealed);
    });
    question.tabIndex = -1;
    question.focus();
  }
}
