package dev.perigee.testing.operate;

import com.marcnuri.helm.Helm;
import dev.perigee.testing.Checkout;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * What the chart renders to, read strictly into the classes that are made from Kubernetes' schemas:
 * an unknown field is an error, as is a value of another type.
 */
record Manifests(List<JsonNode> all) {
    static final Path CHART = Checkout.root().resolve("infra/helm/perigee");

    private static final Map<String, Class<? extends HasMetadata>> KINDS =
            Map.of(
                    "v1/Service", Service.class,
                    "apps/v1/Deployment", Deployment.class,
                    "apps/v1/StatefulSet", StatefulSet.class,
                    "batch/v1/Job", Job.class,
                    "networking.k8s.io/v1/NetworkPolicy", NetworkPolicy.class,
                    "policy/v1/PodDisruptionBudget", PodDisruptionBudget.class);

    private static final JsonMapper STRICT =
            JsonMapper.builder()
                    .annotationIntrospector(new NothingMore())
                    .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .build();

    /** Whatever a class would collect as further properties is unknown. */
    private static final class NothingMore extends JacksonAnnotationIntrospector {
        private static final long serialVersionUID = 1;

        @Override
        public Boolean hasAnySetter(MapperConfig<?> config, Annotated annotated) {
            return false;
        }
    }

    /** The chart as release {@code perigee} in the namespace {@code fleet}. */
    static Manifests render(Map<String, String> values) {
        var command =
                new Helm(CHART)
                        .template()
                        .withName("perigee")
                        .withNamespace("fleet")
                        .withKubeVersion("1.33");
        values.forEach(command::set);
        try (var documents =
                new YAMLMapper().readerFor(JsonNode.class).<JsonNode>readValues(command.call())) {
            return new Manifests(
                    documents.readAll().stream().filter(document -> !document.isEmpty()).toList());
        }
    }

    /** The one manifest of a kind and name, checked. */
    <T extends HasMetadata> T one(Class<T> kind, String name) {
        var found =
                all.stream()
                        .filter(it -> KINDS.get(kindOf(it)) == kind)
                        .map(it -> STRICT.treeToValue(it, kind))
                        .filter(it -> it.getMetadata().getName().equals(name))
                        .toList();
        if (found.size() != 1) {
            throw new AssertionError(found.size() + " of " + kind + " " + name);
        }
        return found.getFirst();
    }

    /** Reads each manifest strictly; gives those of kinds that are not Kubernetes' own. */
    List<JsonNode> foreign() {
        all.stream()
                .filter(it -> KINDS.containsKey(kindOf(it)))
                .forEach(it -> STRICT.treeToValue(it, KINDS.get(kindOf(it))));
        return all.stream().filter(it -> !KINDS.containsKey(kindOf(it))).toList();
    }

    static String kindOf(JsonNode manifest) {
        return manifest.path("apiVersion").asString() + "/" + manifest.path("kind").asString();
    }
}
