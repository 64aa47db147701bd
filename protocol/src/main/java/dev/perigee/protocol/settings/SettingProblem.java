package dev.perigee.protocol.settings;

/**
 * One thing that is wrong with a configuration.
 *
 * @param key the setting's key, as the user wrote it
 * @param origin where the user wrote it, such as {@code --set}; empty where it was not written
 * @param message what is wrong and what would be right; never a secret
 */
public record SettingProblem(String key, String origin, String message) {
    @Override
    public String toString() {
        return key + ": " + message + (origin.isEmpty() ? "" : " (from " + origin + ")");
    }
}
