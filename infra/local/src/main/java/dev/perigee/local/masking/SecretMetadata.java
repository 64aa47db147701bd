package dev.perigee.local.masking;

import java.util.HashSet;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** A configuration's {@code secret_metadata}. Pure. */
public final class SecretMetadata {
    private SecretMetadata() {}

    /** Every name and text in it: what form it has is its author's. */
    public static Set<String> names(JsonNode metadata) {
        var names = new HashSet<String>();
        collect(metadata, names);
        return names;
    }

    private static void collect(JsonNode metadata, Set<String> names) {
        names.addAll(metadata.propertyNames());
        if (metadata.isString()) {
            names.add(metadata.asString());
        }
        metadata.forEach(child -> collect(child, names));
    }
}
