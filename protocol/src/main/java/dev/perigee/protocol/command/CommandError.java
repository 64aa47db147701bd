package dev.perigee.protocol.command;

import dev.perigee.protocol.json.Require;

/**
 * Reason why a command failed or was rejected.
 *
 * @param code stable, for programs: {@code invalid}, {@code unsupported}, {@code not_allowed},
 *     {@code not_found}, {@code process_id_taken}, {@code too_many_installations}, {@code
 *     too_many_awake}, {@code spawn_failed}, {@code unavailable}, {@code internal}
 * @param message for people: what happened and what to do next
 */
public record CommandError(String code, String message) {
    public CommandError {
        Require.text(code, "error.code");
        Require.text(message, "error.message");
    }
}
