// The pages of users. No column is sortable: carnet lists by id.
import {
  AutocompleteInput, BulkDeleteButton, Create, DataTable, Edit, List, ReferenceField, ReferenceInput, SelectInput, SimpleForm, TextInput,
} from 'react-admin';

const filters = [
  <TextInput key="last_name" source="last_name" alwaysOn />,
  <ReferenceInput key="address" source="address" reference="address" perPage={50} sort={{ field: 'id', order: 'ASC' }}>
    <SelectInput />
  </ReferenceInput>,
];

export const UserList = () => (
  <List filters={filters} perPage={10} sort={{ field: 'id', order: 'ASC' }} exporter={false}>
    <DataTable bulkActionButtons={<BulkDeleteButton mutationMode="pessimistic" />}>
      <DataTable.Col source="id" disableSort />
      <DataTable.Col source="first_name" disableSort />
      <DataTable.Col source="last_name" disableSort />
      <DataTable.Col source="address" disableSort>
        <ReferenceField source="address" reference="address" link="edit" />
      </DataTable.Col>
    </DataTable>
  </List>
);

const Fields = () => (
  <>
    <TextInput source="first_name" />
    <TextInput source="last_name" />
    {/* Picked from a list, and not searched by a text: carnet compares whole values. */}
    <ReferenceInput source="address" reference="address" perPage={50}>
      <AutocompleteInput filterToQuery={() => ({})} shouldRenderSuggestions={() => true} />
    </ReferenceInput>
  </>
);

export const UserCreate = () => (
  <Create redirect="list">
    <SimpleForm><Fields /></SimpleForm>
  </Create>
);

// Pessimistic: an error of the server comes while the form is still there to show it.
export const UserEdit = () => (
  <Edit mutationMode="pessimistic">
    <SimpleForm><Fields /></SimpleForm>
  </Edit>
);
