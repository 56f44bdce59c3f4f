// The access key: asked for when the server wants one, kept in this tab.
import { Button, Form, Login, PasswordInput, required, useLogin, useNotify, type AuthProvider } from 'react-admin';

const KEPT_AS = 'access-key';

export const accessKey = () => sessionStorage.getItem(KEPT_AS);

/** Whether the server has asked for one: before that, nobody knows whether it does. */
let isNeeded = false;

export const authProvider: AuthProvider = {
  login: async ({ key }: { key: string }) => {
    isNeeded = false;
    sessionStorage.setItem(KEPT_AS, key);
  },
  logout: async () => sessionStorage.removeItem(KEPT_AS),
  checkAuth: async () => {
    if (isNeeded) throw new Error('A known access key is needed.');
  },
  checkError: async ({ status }: { status?: number }) => {
    if (status !== 401) return;
    isNeeded = true;
    throw new Error('A known access key is needed.');
  },
  getPermissions: async () => undefined,
};

export function KeyPage() {
  const login = useLogin();
  const notify = useNotify();
  const submit = ({ key }: { key?: string }) => login({ key }).catch(() => notify('That is no key.', { type: 'error' }));
  return (
    <Login>
      <Form onSubmit={submit}>
        <PasswordInput source="key" label="Access key" validate={required()} fullWidth />
        <Button type="submit" label="Go on" />
      </Form>
    </Login>
  );
}
