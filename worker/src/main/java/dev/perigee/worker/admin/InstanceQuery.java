package dev.perigee.worker.admin;

import dev.perigee.worker.instance.InstanceSnapshot;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Filter of instances: every given parameter must have the given value. */
final class InstanceQuery {
    private static final Map<String, Function<InstanceSnapshot, @Nullable String>> FIELDS =
            fields();

    private final Map<String, String> wanted;

    /** By parameters of {@link #parameters()}. */
    InstanceQuery(Map<String, String> wanted) {
        if (!FIELDS.keySet().containsAll(wanted.keySet())) {
            throw new IllegalArgumentException("not among " + FIELDS.keySet() + ": " + wanted);
        }
        this.wanted = Map.copyOf(wanted);
    }

    private static Map<String, Function<InstanceSnapshot, @Nullable String>> fields() {
        var fields = new LinkedHashMap<String, Function<InstanceSnapshot, @Nullable String>>();
        fields.put("process", it -> it.identity().processId());
        fields.put("name", it -> it.identity().installationName());
        fields.put("installation", it -> it.identity().installationId());
        fields.put("team", it -> it.identity().teamId());
        fields.put("user", it -> it.identity().userId());
        fields.put("state", it -> it.state().wireName());
        return fields;
    }

    /** What can be asked by. */
    static Set<String> parameters() {
        return FIELDS.keySet();
    }

    boolean matches(InstanceSnapshot instance) {
        return wanted.entrySet().stream()
                .allMatch(
                        it ->
                                Objects.equals(
                                        Objects.requireNonNull(FIELDS.get(it.getKey()))
                                                .apply(instance),
                                        it.getValue()));
    }
}
