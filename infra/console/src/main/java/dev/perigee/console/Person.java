package dev.perigee.console;

import dev.perigee.protocol.audit.ActionRole;

/**
 * Person who uses the console.
 *
 * @param name of the token that was shown; {@code admin.token}, or {@code local} where nobody has
 *     to show one
 */
record Person(String name, ActionRole role) {}
