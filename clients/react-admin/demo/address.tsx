// The pages of addresses, and who lives there. Their `id` is not shown by the server; here it is all the same.
import { Create, DataTable, Edit, List, NumberInput, ReferenceManyField, SimpleForm, TextInput } from 'react-admin';

export const AddressList = () => (
  <List perPage={10} sort={{ field: 'id', order: 'ASC' }} exporter={false}>
    <DataTable>
      <DataTable.Col source="id" disableSort />
      <DataTable.Col source="number" disableSort />
      <DataTable.Col source="street" disableSort />
      <DataTable.Col source="city" disableSort />
      <DataTable.Col source="country" disableSort />
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
      <ReferenceManyField reference="users" target="address" label="Who lives there">
        <DataTable bulkActionButtons={false}>
          <DataTable.Col source="first_name" disableSort />
          <DataTable.Col source="last_name" disableSort />
        </DataTable>
      </ReferenceManyField>
    </SimpleForm>
  </Edit>
);
