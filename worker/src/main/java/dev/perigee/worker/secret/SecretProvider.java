package dev.perigee.worker.secret;

/** Kinds of providers, spelled as in {@code secrets.provider}. */
enum SecretProvider {
    FILE,
    COMMAND
}
