package dev.holdfast.store.kubernetes.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.resource.FieldsV1;
import dev.holdfast.resource.ManagedFields;
import dev.holdfast.resource.ManagedFieldsOperation;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.cluster.LeaseSpec;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.json.ResourceJson;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ApiKindTest {
  private static final ResourceJson JSON = new ResourceJson();
  private static final ApiKind<Setting> SETTINGS = new ApiKind<>(Setting.KIND, "ns", JSON);
  private static final ApiKind<Lease> LEASES = new ApiKind<>(Lease.KIND, "ns", JSON);

  @Test
  void managersOfFieldsAreNotMixedWithThoseOfTheServer() throws Exception {
    ManagedFields ours =
        ManagedFields.of(
            "kubectl",
            ManagedFieldsOperation.APPLY,
            Instant.parse("2026-11-21T08:00:00.123456Z"),
            new FieldsV1("{\"f:spec\":{\"f:value\":{}}}"));
    Setting setting = Setting.of("a", new SettingSpec("1"));
    setting = setting.withMetadata(setting.metadata().withManagedFields(List.of(ours)));

    ObjectNode stored = (ObjectNode) JSON.parse(SETTINGS.encode(setting));
    assertThat(stored.path("metadata").has("managedFields")).isFalse();
    ObjectNode metadata = (ObjectNode) stored.get("metadata");
    metadata.putArray("managedFields").addObject().put("manager", "the server's");

    assertThat(SETTINGS.decode(stored)).isEqualTo(setting);
  }

  @Test
  void leaseWithoutHolderOmitsTheField() throws Exception {
    Lease free = Lease.of("l", LeaseSpec.EMPTY);

    JsonNode stored = JSON.parse(LEASES.encode(free));

    assertThat(stored.path("apiVersion").asText()).isEqualTo("coordination.k8s.io/v1");
    assertThat(stored.has("status")).isFalse();
    assertThat(stored.path("spec").has("holderIdentity")).isFalse();
    assertThat(stored.path("spec").has("leaseDurationSeconds")).isFalse();
    assertThat(LEASES.decode(stored)).isEqualTo(free);
  }

  @Test
  void leasesOfOthersAreNotOurs() throws Exception {
    JsonNode foreign = JSON.parse("{\"metadata\":{\"name\":\"x\",\"labels\":{\"a\":\"b\"}}}");

    assertThat(LEASES.owns(foreign)).isFalse();
    assertThat(LEASES.owns(JSON.parse(LEASES.encode(Lease.of("l", LeaseSpec.EMPTY))))).isTrue();
    assertThat(LEASES.selecting("a=b")).isEqualTo("&labelSelector=holdfast.dev%2Flease%2Ca%3Db");
    assertThat(SETTINGS.selecting("")).isEmpty();
  }
}
