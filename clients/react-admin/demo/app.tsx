// An address book: react-admin's own parts, and the data provider.
import { createRoot } from 'react-dom/client';
import { Admin, Resource } from 'react-admin';
import { carnetDataProvider } from '../src/index.js';
import { accessKey, authProvider, KeyPage } from './access.js';
import { AddressCreate, AddressEdit, AddressList } from './address.js';
import { UserCreate, UserEdit, UserList } from './users.js';

const root = document.getElementById('root') as HTMLElement;
const dataProvider = carnetDataProvider(root.dataset.server ?? location.origin, { key: accessKey });

createRoot(root).render(
  <Admin dataProvider={dataProvider} authProvider={authProvider} loginPage={KeyPage} disableTelemetry>
    <Resource name="users" list={UserList} create={UserCreate} edit={UserEdit}
      recordRepresentation={(user) => `${user.first_name} ${user.last_name}`} />
    <Resource name="address" list={AddressList} create={AddressCreate} edit={AddressEdit}
      recordRepresentation={(address) => `${address.number} ${address.street}, ${address.city}`} />
  </Admin>,
);
