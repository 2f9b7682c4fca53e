package dev.holdfast.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.InvalidResourceException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.volume.Volume;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The store rejects invalid resources, with errors that name the fields. */
abstract class ValidationTopic extends StoreTopic {
  ValidationTopic(ResourceStoreKit kit) {
    super(kit);
  }

  private static void assertInvalid(ThrowingCallable call, String... fields) {
    InvalidResourceException e = catchThrowableOfType(InvalidResourceException.class, call);
    assertThat(e).as("an InvalidResourceException").isNotNull();
    assertThat(e.code()).isEqualTo(ErrorCode.INVALID);
    assertThat(e.errors()).extracting(FieldError::field).containsExactlyInAnyOrder(fields);
    assertThat(e.getMessage()).contains(fields);
  }

  @Test
  final void createNamesEveryWrongField() throws Exception {
    Volume wrong =
        volume("data")
            .withSpec(
                volume("data").spec().withSize(Quantity.parse("5000")).withNumberOfReplicas(0));

    assertInvalid(() -> store.create(wrong), "spec.size", "spec.numberOfReplicas");

    assertThat(store.get(Volume.KIND, "data")).isEmpty();
  }

  @Test
  final void namesAreChecked() {
    for (String name : new String[] {"", "Data", "a_b", "-a", "a/b", "x".repeat(254), "a..b"}) {
      assertInvalid(() -> store.create(volume(name)), "metadata.name");
    }
  }

  @Test
  final void labelsAreChecked() {
    Setting setting = setting("a", "1");

    assertInvalid(
        () ->
            store.create(
                setting.withMetadata(setting.metadata().withLabels(Map.of("app", "no blanks")))),
        "metadata.labels[app]");
  }

  @Test
  final void anInvalidUpdateChangesNothing() throws Exception {
    Volume created = store.create(volume("data"));

    assertInvalid(
        () -> store.update(created.withSpec(created.spec().withNumberOfReplicas(21))),
        "spec.numberOfReplicas");

    assertThat(store.get(Volume.KIND, "data")).contains(created);
  }

  @Test
  final void immutableFieldsAreComparedWithTheStoredResource() throws Exception {
    Volume created = store.create(volume("data"));

    assertInvalid(
        () ->
            store.update(
                created.withSpec(
                    created.spec().withSize(Quantity.parse("512Mi")).withDataEngine("lvm"))),
        "spec.size",
        "spec.dataEngine");
    Volume grown = store.update(created.withSpec(created.spec().withSize(Quantity.parse("2Gi"))));

    assertThat(grown.spec().size()).isEqualTo(Quantity.parse("2Gi"));
    assertInvalid(() -> store.update(grown.withSpec(created.spec())), "spec.size");
  }

  @Test
  final void anUpdateNeedsAVersion() throws Exception {
    Setting created = store.create(setting("a", "1"));
    Setting blind = created.withMetadata(created.metadata().withResourceVersion(""));

    assertInvalid(() -> store.update(blind), "metadata.resourceVersion");
    assertInvalid(() -> store.updateStatus(blind), "metadata.resourceVersion");
  }
}
