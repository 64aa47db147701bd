package dev.perigee.protocol.settings;

import java.util.List;

/** Renderer of the Markdown reference page of all configuration keys. Pure. */
public final class SettingsReference {
    private SettingsReference() {}

    /** The page, a section for each schema. */
    public static String render(List<SettingsSchema> schemas) {
        var page = new StringBuilder();
        page.append("# Configuration\n\n");
        page.append(
                "<!-- Generated: scripts/perigee reference > docs/reference/configuration.md -->\n\n");
        page.append(
                """
                A key's value comes from its default, overridden by the file that `--config` names
                (`.properties`, UTF-8), overridden by the environment variable, overridden by
                `--set key=value`. An unknown key or `PERIGEE_` variable is an error.
                A secret is never shown; `<key>-file` names a file that holds it.
                """);
        for (var schema : schemas) {
            page.append("\n## ").append(schema.name()).append("\n\n");
            page.append("| key | default | environment variable | value | meaning |\n");
            page.append("|---|---|---|---|---|\n");
            for (var setting : schema.settings()) {
                row(page, setting);
            }
        }
        return page.toString();
    }

    private static void row(StringBuilder page, Setting<?> setting) {
        page.append("| `")
                .append(setting.key())
                .append("` | ")
                .append(defaultOf(setting))
                .append(" | `")
                .append(setting.environmentName())
                .append("` | ")
                .append(escape(setting.type().expects()))
                .append(setting.isSecret() ? " (secret) | " : " | ")
                .append(escape(setting.description()))
                .append(" |\n");
    }

    private static String defaultOf(Setting<?> setting) {
        var text = setting.defaultText();
        if (text == null) {
            return setting.isRequired() ? "required" : "none";
        }
        return text.isEmpty() ? "empty" : "`" + escape(text) + "`";
    }

    private static String escape(String text) {
        return text.replace("|", "\\|").replace("\n", " ");
    }
}
