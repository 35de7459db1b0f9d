/** The step of the wizard that is shown: part of what the assistant may know of the page. */

export interface StepContext {
  index: number;
  count: number;
  label: string;
}

class WizardStep {
  byRoute = $state<Record<string, StepContext>>({});

  tell(route: string, index: number, steps: readonly string[]): void {
    const label = steps[index] ?? '';
    const known = this.byRoute[route];
    if (known?.index === index && known.label === label) return;
    this.byRoute[route] = { index, count: steps.length, label };
  }
}

export const wizardStep = new WizardStep();
