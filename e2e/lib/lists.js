// What a person does with a list.

/** Adds a filter: by labels, as they stand on the screen. `value` is typed, or chosen where there is a choice. */
export async function addFilter(page, field, compare, value) {
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const panel = page.getByRole('dialog', { name: 'Filter' });
  await panel.getByLabel('Field').selectOption({ label: field });
  await panel.getByLabel('Compare').selectOption({ label: compare });
  if (value !== undefined) {
    const box = panel.getByLabel(/^Value/);
    if (await box.evaluate((one) => one instanceof HTMLSelectElement)) await box.selectOption({ label: value });
    else await box.fill(value);
  }
  await panel.getByRole('button', { name: 'Apply' }).click();
}

/** The ids of the rows, in their order. */
export const rows = (page) => page.locator('.rows a[data-id]').evaluateAll((all) => all.map((one) => one.dataset.id));
