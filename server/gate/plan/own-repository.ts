/** Whether what the settings say of a repository is said of this one; settings without a name mean any. */
export const isOwnRepository = (own: string | null, repository: string): boolean =>
  own === null || own.toLowerCase() === repository.toLowerCase();
