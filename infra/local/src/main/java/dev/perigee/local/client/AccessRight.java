package dev.perigee.local.client;

import java.util.Locale;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.Resource;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/** One thing that somebody may do with something of Kafka's. */
public record AccessRight(Scope scope, String name, AclOperation operation) {
    /** What Kafka calls the cluster. */
    public static final String CLUSTER = Resource.CLUSTER_NAME;

    /** What a name stands for. */
    public enum Scope {
        /** The topic of this name. */
        TOPIC(ResourceType.TOPIC, PatternType.LITERAL, "--topic"),
        /** All topics whose names begin so. */
        TOPICS(ResourceType.TOPIC, PatternType.PREFIXED, "--topic"),
        /** The consumer group of this name. */
        GROUP(ResourceType.GROUP, PatternType.LITERAL, "--group"),
        /** All groups whose names begin so. */
        GROUPS(ResourceType.GROUP, PatternType.PREFIXED, "--group"),
        /** All transactional ids that begin so. */
        TRANSACTIONAL_IDS(
                ResourceType.TRANSACTIONAL_ID, PatternType.PREFIXED, "--transactional-id"),
        /** The cluster, of which there is one, {@link AccessRight#CLUSTER}. */
        CLUSTER(ResourceType.CLUSTER, PatternType.LITERAL, "--cluster");

        private final ResourceType type;
        private final PatternType pattern;
        private final String flag;

        Scope(ResourceType type, PatternType pattern, String flag) {
            this.type = type;
            this.pattern = pattern;
            this.flag = flag;
        }

        /** How kafka-acls writes a name of this kind. */
        public String flag() {
            return flag;
        }

        /** Whether the name is a beginning. */
        public boolean isPrefix() {
            return pattern == PatternType.PREFIXED;
        }
    }

    /** As kafka-acls writes what it is for: flag and name, where there is more than one. */
    public String target() {
        return scope == Scope.CLUSTER ? scope.flag() : scope.flag() + ' ' + name;
    }

    /** The same for Kafka, from any host. */
    AclBinding bindingFor(String principal) {
        return new AclBinding(
                new ResourcePattern(scope.type, name, scope.pattern),
                new AccessControlEntry(principal, "*", operation, AclPermissionType.ALLOW));
    }

    /** The operation as kafka-acls writes it. */
    public String operationName() {
        var words = operation.name().split("_", -1);
        var name = new StringBuilder();
        for (var word : words) {
            name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return name.toString();
    }
}
