/** Whether the server wants a key that this browser has not handed in. */
class SignIn {
  needed = $state(false);
}

export const signIn = new SignIn();
