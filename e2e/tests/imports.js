// Imports: what becomes of a file, by its kind and by what is said beside it.
import { counts, file, fill, GOOGLE, importing, mapping, saved, state } from '../lib/files.js';
import { equal, soon, test, that } from '../lib/suite.js';

test('a file of another program is tried, mapped, imported, and changes nothing the second time', {}, async ({ server, page }) => {
  await importing(server, page, 'contacts.csv', GOOGLE);
  await state(page, 'contacts.csv cannot be imported like this. Nothing was stored.');
  const faults = await page.locator('.import-faults li').allInnerTexts();
  that(faults.includes('line 1: the column Nickname is no field of users.'), faults.join('\n'));
  await soon(() => page.getByRole('button', { name: /^Import \d/ }).count(), 0);
  for (const column of ['Nickname', 'Labels', 'E-mail 1 - Value']) await page.getByLabel(`What ${column} becomes`).selectOption({ label: 'leave it out' });
  await page.getByRole('button', { name: 'Check again' }).click();
  await state(page, '2 records in contacts.csv. Nothing is stored yet.');
  await soon(() => mapping(page), [['First Name', 'First name'], ['Last Name', 'Last name'], ['Nickname', 'leave it out'], ['Labels', 'leave it out'], ['E-mail 1 - Value', 'leave it out'],
    ['Address 1 - Street', 'Address: Street and Address: Number'], ['Address 1 - City', 'Address: City'], ['Address 1 - Country', 'Address: Country']]);
  await soon(async () => (await counts(page)).slice(0, 3), [['New', '2'], ['Changed', '0'], ['As they are', '0']]);
  await page.getByText('United Kingdom, London, St James Square, 12').waitFor();
  equal((await server.json('/users/')).meta.total_count, 0);
  await page.getByRole('button', { name: 'Import 2 records' }).click();
  await state(page, 'contacts.csv is imported');
  await page.getByRole('link', { name: 'To Users', exact: true }).click();
  await page.getByText('2 records').waitFor();
  await page.getByRole('link', { name: '12 St James Square, London' }).waitFor();
  equal((await server.json('/users/')).object_list.map((one) => one.last_name), ['Lovelace', 'Hopper']);
  await importing(server, page, 'contacts.csv', GOOGLE);
  await page.getByRole('button', { name: 'Leave out all the rest' }).click();
  await state(page, 'All of contacts.csv is there already: nothing would change');
  await soon(async () => (await counts(page)).slice(0, 3), [['New', '0'], ['Changed', '0'], ['As they are', '2']]);
  await soon(() => page.getByRole('button', { name: /^Import \d/ }).count(), 0);
  // Nothing of a file stays in the browser.
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  that(!kept.includes('Lovelace') && !kept.includes('contacts.csv'), kept);
});

test('a column can be for any field, also of the record that is referred to', {}, async ({ server, page }) => {
  const text = 'Vorname;last_name;Land;address.city;address.street;address.number;a=b\nAda;Lovelace;France;Paris;quai de Valmy;45;x\n';
  await importing(server, page, 'people.csv', text);
  await page.getByLabel('What Vorname becomes').selectOption({ label: 'First name' });
  await page.getByLabel('What Land becomes').selectOption({ label: 'Address: Country' });
  // Such a name cannot be said to be for a field.
  await soon(() => page.getByLabel('What a=b becomes').locator('option').allInnerTexts(), ['no field: choose', 'leave it out']);
  await page.getByLabel('What a=b becomes').selectOption({ label: 'leave it out' });
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).waitFor();
  // What is chosen anew is tried first.
  await page.getByLabel('What Vorname becomes').selectOption({ label: 'leave it out' });
  await soon(() => page.getByRole('button', { name: /^Import \d/ }).count(), 0);
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByText('first_name is missing').waitFor();
  await page.getByLabel('What Vorname becomes').selectOption({ label: 'First name' });
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).click();
  await state(page, 'people.csv is imported');
  const [user] = (await server.json('/users/?expand=address')).object_list;
  equal([user.first_name, user._expanded.address.country], ['Ada', 'France']);
});

test('a column that is known by its name can be for another field, or for none', {}, async ({ server, page }) => {
  await importing(server, page, 'swapped.csv', 'first_name,last_name,address\nLovelace,Ada,99\n');
  await page.getByText('there is no record 99').waitFor();
  await soon(() => mapping(page), [['first_name', 'First name'], ['last_name', 'Last name'], ['address', 'Address']]);
  await page.getByLabel('What first_name becomes').selectOption({ label: 'Last name' });
  await page.getByLabel('What last_name becomes').selectOption({ label: 'First name' });
  await page.getByLabel('What address becomes').selectOption({ label: 'leave it out' });
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).waitFor();
  await soon(() => mapping(page), [['first_name', 'Last name'], ['last_name', 'First name'], ['address', 'leave it out']]);
  // And back again.
  await page.getByLabel('What address becomes').selectOption({ label: 'as the file has it' });
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByText('there is no record 99').waitFor();
  await page.getByLabel('What address becomes').selectOption({ label: 'leave it out' });
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).click();
  await state(page, 'swapped.csv is imported');
  const [user] = (await server.json('/users/')).object_list;
  equal([user.first_name, user.last_name, user.address], ['Ada', 'Lovelace', null]);
});

test('what the file does not say is said beside it: encoding, and a value for what is missing', {}, async ({ server, page }) => {
  const text = 'first_name,last_name,address.country,address.city,address.street\nRen\xe9,Descartes,France,Paris,quai de Valmy\n';
  await importing(server, page, 'old.csv', Buffer.from(text, 'latin1'));
  await page.getByText('line 2 is not UTF-8').waitFor();
  await page.getByLabel('Text is').selectOption({ label: 'Windows-1252, of older programs' });
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByText('line 2: address.number is missing.', { exact: true }).waitFor();
  await page.getByLabel('Address: Number where there is none').fill('45');
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).click();
  await state(page, 'old.csv is imported');
  const [user] = (await server.json('/users/?expand=address')).object_list;
  equal([user.first_name, user._expanded.address.number], ['René', 45]);
});

test('faults are listed with their lines as text, and nothing can be confirmed', {}, async ({ server, page }) => {
  const lines = Array.from({ length: 130 }, (_, at) => `${at % 2 ? 'Ada' : '<img src=x onerror=alert(1)>'},,`);
  await importing(server, page, 'bad.csv', `first_name,last_name,<i>x</i>\n${lines.join('\n')}\n`);
  await page.getByText('the column <i>x</i> is no field of users').waitFor();
  await page.getByLabel('What <i>x</i> becomes').selectOption({ label: 'leave it out' });
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByRole('heading', { name: '130 faults' }).waitFor();
  await page.getByText('line 2: last_name is missing').waitFor();
  await soon(() => page.locator('.import-faults li').count(), 100);
  await page.getByText('These are the first 100 of 130.').waitFor();
  await soon(() => page.getByRole('button', { name: /^Import \d/ }).count(), 0);
  await soon(() => page.locator('main :is(img, i)').count(), 0);
  equal((await server.json('/users/')).meta.total_count, 0);
});

test('cards and JSON lines are imported, and what they have besides is left out by name', {}, async ({ server, page }) => {
  const cards = 'BEGIN:VCARD\nVERSION:3.0\nN:Hopper;Grace;;;\nTEL:+1 555 0100\nADR:;;12 Main Street;Arlington;;;USA\nEND:VCARD\n';
  await importing(server, page, 'CONTACTS.VCF', cards);
  await page.getByText('not taken: TEL (1).').waitFor();
  await page.getByLabel('What TEL becomes').selectOption({ label: 'leave it out' });
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByText('USA, Arlington, Main Street, 12').waitFor();
  await soon(() => counts(page), [['New', '1'], ['Changed', '0'], ['As they are', '0'], ['Left out: TEL', '1']]);
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).click();
  await state(page, 'CONTACTS.VCF is imported');
  await soon(async () => (await counts(page)).filter(([words]) => words === 'New in Address'), [['New in Address', '1']]);
  await page.getByLabel('Choose a file').setInputFiles(file('one.json', '[{"first_name":"Ada","last_name":"Lovelace"}]'));
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).click();
  await state(page, 'one.json is imported');
  equal((await server.json('/users/')).object_list.map((one) => one.first_name), ['Grace', 'Ada']);
});

test('an export for a spreadsheet comes back as it was, with the ids as ours', {}, async ({ server, page }) => {
  await fill(server, 6);
  await page.goto(`${server.url}/console/#/users`);
  await page.getByText('6 records').waitFor();
  const { text } = await saved(page, /^CSV for a spreadsheet/);
  await importing(server, page, 'users.csv', text.replace('First2', 'Second'));
  await page.getByText('the file has ids, and users has records.').waitFor();
  await page.getByLabel('The ids in the file').selectOption({ label: 'mean the records of Users with these ids' });
  await page.getByLabel('From a spreadsheet').check();
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).click();
  await state(page, 'users.csv is imported');
  await soon(async () => (await counts(page)).slice(0, 3), [['New', '0'], ['Changed', '1'], ['As they are', '5']]);
  equal((await server.json('/users/')).object_list.map((one) => one.first_name), ['First1', 'Second', 'First3', 'First4', '=1+1', 'First6']);
});

test('a file is dropped on the page, and others than ours are told what to be saved as', {}, async ({ server, page }) => {
  await page.goto(`${server.url}/console/#/users/import`);
  await page.getByRole('heading', { name: 'Import into Users' }).waitFor();
  const drop = async (...files) => {
    const data = await page.evaluateHandle((all) => {
      const transfer = new DataTransfer();
      for (const [name, text] of all) transfer.items.add(new File([text], name));
      return transfer;
    }, files);
    await page.locator('main').dispatchEvent('dragover', { dataTransfer: data });
    await page.locator('.drop.over').waitFor();
    await page.locator('main').dispatchEvent('drop', { dataTransfer: data });
  };
  await drop(['people.xlsx', 'PK']);
  await page.getByText('people.xlsx is a spreadsheet. Save it as “CSV UTF-8” there, and choose that file.').waitFor();
  await drop(['a.csv', ''], ['b.csv', '']);
  await page.getByText('These are several files.').waitFor();
  await drop(['README', 'x']);
  await page.getByText('The name of README does not say what it is.').waitFor();
  that(page.requests.every((one) => !one.includes('/_/import/')), 'one was sent');
  await drop(['people.tsv', 'first_name\tlast_name\nAda, the first\tLovelace\n']);
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).waitFor();
  that(page.requests.includes('POST /_/import/users/?delimiter=tab&dry_run=true'), page.requests.join(', '));
  await page.getByText('Ada, the first').waitFor();
});
