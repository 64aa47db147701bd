/**
 * Configuration keys: typed, validated, documented. A part declares {@link
 * dev.perigee.protocol.settings.Setting}s, collects them in a {@link
 * dev.perigee.protocol.settings.SettingsSchema} and reads immutable {@link
 * dev.perigee.protocol.settings.Settings} once, at its start. Nothing here starts threads; only
 * {@link dev.perigee.protocol.settings.SettingsReader} touches files. Keys are public: they may be
 * added, not renamed.
 */
@NullMarked
package dev.perigee.protocol.settings;

import org.jspecify.annotations.NullMarked;
