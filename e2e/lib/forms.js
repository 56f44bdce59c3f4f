// What a person does with the form of a record: a value becomes an input where it is clicked.
import { soon } from './suite.js';

/** The input of a field, opened where the record is read. */
export async function field(page, label) {
  const box = page.getByLabel(new RegExp(`^${label}`));
  const pencil = page.getByRole('button', { name: `Edit ${label}`, exact: true });
  await box.or(pencil).first().waitFor();
  if (await pencil.isVisible()) await pencil.click();
  return box;
}

export async function typeInto(page, label, text) {
  await (await field(page, label)).fill(text);
}

/** What the form has for a field, read or typed. */
export async function shownIn(page, label) {
  const box = page.getByLabel(new RegExp(`^${label}`));
  const row = page.locator('.field.read', { has: page.getByText(label, { exact: true }) });
  await box.or(row).first().waitFor();
  return (await box.isVisible()) ? box.inputValue() : row.locator('.input').innerText();
}

/** Waits until the focus is on what has this id, or this text: it moves after what is shown has changed. */
export async function focusOn(page, wanted) {
  await soon(() => page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent?.trim()), wanted, 'the focus');
}

/** Types into the box of a reference, and picks what is found. */
export async function pick(page, label, typed, found) {
  await typeInto(page, label, typed);
  await page.getByRole('option', { name: found }).click();
}
