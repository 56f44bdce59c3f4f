// The pages of users. Any column sorts.
import {
  AutocompleteInput, BulkDeleteButton, Create, DataTable, Edit, List, ReferenceField, ReferenceInput, SearchInput, SelectInput, SimpleForm,
  TextInput,
} from 'react-admin';

const filters = [
  <SearchInput key="q" source="q" alwaysOn />,
  <TextInput key="last_name" source="last_name.prefix" label="Last name" alwaysOn />,
  <ReferenceInput key="address" source="address" reference="address" perPage={50} sort={{ field: 'id', order: 'ASC' }}>
    <SelectInput />
  </ReferenceInput>,
];

export const UserList = () => (
  <List filters={filters} perPage={10} sort={{ field: 'id', order: 'ASC' }} exporter={false}>
    <DataTable bulkActionButtons={<BulkDeleteButton mutationMode="pessimistic" />}>
      <DataTable.Col source="id" />
      <DataTable.Col source="first_name" />
      <DataTable.Col source="last_name" />
      <DataTable.Col source="address">
        <ReferenceField source="address" reference="address" link="edit" />
      </DataTable.Col>
    </DataTable>
  </List>
);

const Fields = () => (
  <>
    <TextInput source="first_name" />
    <TextInput source="last_name" />
    {/* Found by the beginnings of street and city. */}
    <ReferenceInput source="address" reference="address" perPage={50}>
      <AutocompleteInput shouldRenderSuggestions={() => true} />
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
