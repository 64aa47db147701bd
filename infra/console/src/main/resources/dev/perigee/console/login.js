import { byId, setText } from './dom.js';

/** The form for the token; calls back when the gateway has taken it. */
export function prepareLogin(letIn) {
  byId('login').addEventListener('submit', async (event) => {
    event.preventDefault();
    setText(byId('login-error'), '');
    try {
      const response = await fetch('api/login', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ token: byId('token').value }),
      });
      if (response.ok) {
        byId('token').value = '';
        byId('token').blur(); // A browser takes the focus from what is hidden when it draws: keys until then would be lost.
        letIn();
      } else {
        setText(byId('login-error'), response.status === 401 ? 'This is not the token.' : (await response.json()).error);
        byId('token').select();
      }
    } catch {
      setText(byId('login-error'), 'The gateway does not answer.');
    }
  });
}

/** Shows the way by a provider where there is one. */
export async function offerOidc() {
  try {
    const response = await fetch('api/login', { cache: 'no-store' });
    byId('login-oidc').hidden = !(response.ok && (await response.json()).oidc);
  } catch {
    byId('login-oidc').hidden = true;
  }
}

export async function logout() {
  await fetch('api/logout', { method: 'POST' });
}
