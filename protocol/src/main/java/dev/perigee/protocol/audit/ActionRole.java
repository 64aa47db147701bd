package dev.perigee.protocol.audit;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Role of a person in the console. Each may what those before it may. */
public enum ActionRole {
    /** Sees everything, does nothing. */
    @JsonProperty("read")
    READ,
    /** Acts on single installations and their tools. */
    @JsonProperty("operate")
    OPERATE,
    /** Acts on workers, too. */
    @JsonProperty("admin")
    ADMIN;

    /** As settings and records have it. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The role of this name, null where there is none. */
    public static @Nullable ActionRole of(String name) {
        for (var role : values()) {
            if (role.wireName().equals(name)) {
                return role;
            }
        }
        return null;
    }

    /** Whether one who has this role may do what needs the other. */
    public boolean includes(ActionRole needed) {
        return compareTo(needed) >= 0;
    }
}
