import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { Profile } from "../../../server/identity/profile/model.ts";
import { account } from "../../api/account.ts";
import { tellFailure } from "../../ui/failing.ts";
import { SettingsSection } from "../../ui/settings-page.tsx";
import { notify } from "../../ui/toast.tsx";

/** One request at a time; what goes wrong is told while the form stays as it is. */
export function useSending() {
  const isSending = useSignal(false);
  return {
    isSending: isSending.value,
    async run(work: () => Promise<void>): Promise<void> {
      if (isSending.peek()) return;
      isSending.value = true;
      await work().catch(tellFailure);
      isSending.value = false;
    },
  };
}

interface TextFieldProps {
  label: string;
  name: string;
  autocomplete: "name" | "email" | "current-password" | "new-password";
  initial?: string;
  minLength?: number;
  maxLength: number;
  hint?: string;
}

export function TextField({
  label,
  name,
  autocomplete,
  initial,
  minLength,
  maxLength,
  hint,
}: TextFieldProps) {
  const type = autocomplete.endsWith("password") ? "password" : autocomplete === "email" ? "email" : "text";
  // The types of JSX keep the kinds of fields apart, though all that is set here is the same for each.
  const kind = { type } as { type: "text" };
  const hintId = `${name}-hint`;
  return (
    <label class="account-field">
      <span>{label}</span>
      <input
        class="input"
        {...kind}
        name={name}
        required
        autocomplete={autocomplete}
        minLength={minLength}
        maxLength={maxLength}
        defaultValue={initial}
        aria-describedby={hint ? hintId : undefined}
      />
      {hint && (
        <small id={hintId} class="dim">
          {hint}
        </small>
      )}
    </label>
  );
}

const CurrentPassword = () => (
  <TextField label="Current password" name="current" autocomplete="current-password" maxLength={1000} />
);

const given = (form: HTMLFormElement, name: string) => String(new FormData(form).get(name) ?? "");

export function EmailForm({ profile }: { profile: Profile }): JSX.Element {
  const { isSending, run } = useSending();
  const isMade = profile.email.endsWith(".invalid");
  const ask = (form: HTMLFormElement) =>
    run(async () => {
      const email = given(form, "email");
      const current = profile.has_password ? { current_password: given(form, "current") } : {};
      await account.requestEmail({ email, ...current });
      notify(`A link is on its way to ${email}. Open it here to make the address yours.`);
      form.reset();
    });
  return (
    <SettingsSection
      title="Email"
      about={
        isMade
          ? `Yours is ${profile.email}, which gets no mail. Give an address to sign in with a password or a link.`
          : `Yours is ${profile.email}. Another one counts once you have opened the link that is sent there.`
      }
    >
      <form
        class="account-form"
        onSubmit={(event) => {
          event.preventDefault();
          void ask(event.currentTarget);
        }}
      >
        <TextField label="New address" name="email" autocomplete="email" maxLength={254} />
        {profile.has_password && <CurrentPassword />}
        <button type="submit" class="button" disabled={isSending}>
          Send the link
        </button>
      </form>
    </SettingsSection>
  );
}

export function PasswordForm({ profile, changed }: { profile: Profile; changed: () => void }): JSX.Element {
  const { isSending, run } = useSending();
  if (profile.is_sso_enforced)
    return (
      <SettingsSection title="Password" about="Your organisation signs in with its identity provider alone.">
        {null}
      </SettingsSection>
    );
  const save = (form: HTMLFormElement) =>
    run(async () => {
      const current = profile.has_password ? { current_password: given(form, "current") } : {};
      await account.setPassword({ ...current, new_password: given(form, "new") });
      notify("The password is set. Your other sessions have ended.");
      form.reset();
      changed();
    });
  return (
    <SettingsSection
      title="Password"
      about={
        profile.has_password
          ? "A new one ends your other sessions."
          : "You have none: you sign in by a link or a provider."
      }
    >
      <form
        class="account-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save(event.currentTarget);
        }}
      >
        {/* Password managers keep it under this address. */}
        <input type="email" name="username" autocomplete="username" value={profile.email} readOnly hidden />
        {profile.has_password && <CurrentPassword />}
        <TextField
          label="New password"
          name="new"
          autocomplete="new-password"
          minLength={12}
          maxLength={1000}
          hint="At least 12 characters."
        />
        <button type="submit" class="button" disabled={isSending}>
          {profile.has_password ? "Change the password" : "Set a password"}
        </button>
      </form>
    </SettingsSection>
  );
}
