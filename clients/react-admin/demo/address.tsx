// The pages of addresses, and who lives there. Their `id` is not shown by the server; here it is all the same.
import { Create, DataTable, Edit, List, NumberInput, ReferenceManyField, SimpleForm, TextInput } from 'react-admin';

// The form makes `{ number: { gte: 45 } }` of a source with a dot, and the data provider `number.gte=45` of that.
const filters = [
  <TextInput key="city" source="city.prefix" label="City" alwaysOn />,
  <NumberInput key="from" source="number.gte" label="Number from" alwaysOn />,
];

export const AddressList = () => (
  <List filters={filters} perPage={10} sort={{ field: 'id', order: 'ASC' }} exporter={false}>
    <DataTable>
      <DataTable.Col source="id" />
      <DataTable.Col source="number" />
      <DataTable.Col source="street" />
      <DataTable.Col source="city" />
      <DataTable.Col source="country" />
    </DataTable>
  </List>
);

const Fields = () => (
  <>
    <TextInput source="country" />
    <TextInput source="city" />
    <TextInput source="street" />
    <NumberInput source="number" step={1} />
  </>
);

export const AddressCreate = () => (
  <Create redirect="list">
    <SimpleForm><Fields /></SimpleForm>
  </Create>
);

export const AddressEdit = () => (
  <Edit mutationMode="pessimistic">
    <SimpleForm>
      <Fields />
      <ReferenceManyField reference="users" target="address" label="Who lives there" sort={{ field: 'last_name', order: 'ASC' }}>
        <DataTable bulkActionButtons={false}>
          <DataTable.Col source="first_name" />
          <DataTable.Col source="last_name" />
        </DataTable>
      </ReferenceManyField>
    </SimpleForm>
  </Edit>
);
