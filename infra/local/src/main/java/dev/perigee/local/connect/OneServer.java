package dev.perigee.local.connect;

import dev.perigee.protocol.event.EventBody.Catalog;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The one server whose prompts and resources a client has besides its tools, by its catalogue: with
 * several servers nobody could say whose a URI is. Immutable.
 *
 * @param capabilities as the server said them; null where it said none
 */
record OneServer(
        String slug,
        String installationId,
        @Nullable RawJson capabilities,
        List<RawJson> prompts,
        List<RawJson> resources,
        List<RawJson> templates) {
    OneServer {
        prompts = named(prompts, "name");
        resources = named(resources, "uri");
        templates = named(templates, "uriTemplate");
    }

    /**
     * By its catalogue.
     *
     * @param catalog null where it has none
     */
    static OneServer of(String slug, String installationId, @Nullable Catalog catalog) {
        return catalog == null
                ? new OneServer(slug, installationId, null, List.of(), List.of(), List.of())
                : new OneServer(
                        slug,
                        installationId,
                        catalog.capabilities(),
                        catalog.prompts(),
                        catalog.resources(),
                        catalog.resourceTemplates());
    }

    private static List<RawJson> named(List<RawJson> entries, String field) {
        return entries.stream()
                .filter(each -> isNamed(each, field))
                .map(RawJson::onOneLine)
                .toList();
    }

    private static boolean isNamed(RawJson entry, String field) {
        try {
            return Json.tree(entry.bytes()).path(field).isString();
        } catch (InvalidRecordException e) {
            return false;
        }
    }

    long bytes() {
        return bytes(prompts) + bytes(resources) + bytes(templates);
    }

    private static long bytes(List<RawJson> entries) {
        return entries.stream().mapToLong(RawJson::size).sum();
    }

    boolean hasPrompts() {
        return has("prompts");
    }

    boolean hasResources() {
        return has("resources");
    }

    boolean hasCompletions() {
        return has("completions");
    }

    private boolean has(String capability) {
        return capabilities != null && Json.tree(capabilities.bytes()).path(capability).isObject();
    }

    /** What it adds to the capabilities of a session. */
    Map<String, Object> sessionCapabilities() {
        var all = new LinkedHashMap<String, Object>();
        if (hasPrompts()) {
            all.put("prompts", Map.of());
        }
        if (hasResources()) {
            all.put("resources", Map.of());
        }
        if (hasCompletions()) {
            all.put("completions", Map.of());
        }
        return all;
    }

    /** The result of a list; null where this server has no such method. */
    @Nullable Map<String, Object> list(String method) {
        return switch (method) {
            case "prompts/list" -> hasPrompts() ? Map.of("prompts", prompts) : null;
            case "resources/list" -> hasResources() ? Map.of("resources", resources) : null;
            case "resources/templates/list" ->
                    hasResources() ? Map.of("resourceTemplates", templates) : null;
            default -> null;
        };
    }
}
