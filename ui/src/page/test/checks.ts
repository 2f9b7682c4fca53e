// Checks that hold for every view.

const CONTROLS = 'a[href], button, input, select, textarea, table, [role="region"], [role="grid"], [role="img"], [role="progressbar"]';

function textOf(ids: string | null): string {
  return (ids ?? '')
    .split(/\s+/)
    .map((id) => document.getElementById(id)?.textContent ?? '')
    .join('');
}

function hasName(element: Element): boolean {
  const named = (element.getAttribute('aria-label') ?? '') + textOf(element.getAttribute('aria-labelledby')) + (element.getAttribute('title') ?? '');
  const labels = element.id ? [...document.querySelectorAll('label')].filter((label) => label.htmlFor === element.id) : [];
  const content = ['A', 'BUTTON'].includes(element.tagName) ? (element.textContent ?? '') : '';
  return `${named}${labels.map(({ textContent }) => textContent).join('')}${content}`.trim() !== '';
}

/** Returns the controls, tables and parts without a name for assistive technology. */
export function unnamed(): string[] {
  return [...document.body.querySelectorAll(CONTROLS)]
    .filter((element) => element.getAttribute('aria-hidden') !== 'true' && element.getAttribute('type') !== 'hidden' && !hasName(element))
    .map(({ outerHTML }) => outerHTML.slice(0, 120));
}

/** A text that would create an element of this name if it were parsed as markup. */
export const MARKUP = '<planted-element>planted</planted-element>';

/** Returns the number of elements that texts of users created. */
export function plantedElements(): number {
  return document.querySelectorAll('planted-element').length;
}
