package dev.holdfast.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Create, get, update and delete, and their failures. */
abstract class CrudTopic extends StoreTopic {
  CrudTopic(ResourceStoreKit kit) {
    super(kit);
  }

  @Test
  final void getIsEmptyWhenThereIsNothing() throws Exception {
    assertThat(store.get(Volume.KIND, "data")).isEmpty();
  }

  @Test
  final void createReturnsWhatGetReturns() throws Exception {
    Volume created = store.create(volume("data"));

    assertThat(store.get(Volume.KIND, "data")).contains(created);
    assertThat(created.spec()).isEqualTo(volume("data").spec());
  }

  @Test
  final void everyKindCanBeKept() throws Exception {
    assertThat(Samples.BY_KIND.keySet())
        .containsExactlyInAnyOrderElementsOf(
            KindCatalogue.load().kinds().stream().map(ResourceKind::kind).toList());
    for (Resource<?> sample : Samples.BY_KIND.values()) {
      keep(sample.resourceKind(), sample);
    }
  }

  private <R extends Resource<R>> void keep(ResourceKind<R> kind, Resource<?> sample)
      throws Exception {
    R wanted = kind.type().cast(sample);
    R created = store.create(wanted);

    assertThat(created.spec()).isEqualTo(wanted.spec());
    assertThat(created.status()).isEqualTo(wanted.status());
    assertThat(store.get(kind, wanted.name())).contains(created);
    assertThat(store.list(kind, LabelSelector.ALL).items()).containsExactly(created);
    assertThat(store.delete(kind, wanted.name(), created.metadata().uid())).isEmpty();
  }

  @Test
  final void createFailsWhenTheNameIsTaken() throws Exception {
    Setting first = store.create(setting("a", "1"));

    assertFails(ErrorCode.ALREADY_EXISTS, () -> store.create(setting("a", "2")));

    assertThat(store.get(Setting.KIND, "a")).contains(first);
  }

  @Test
  final void theSameNameMayBeUsedInAnotherKind() throws Exception {
    store.create(setting("data", "1"));
    store.create(volume("data"));

    store.delete(Setting.KIND, "data", "");

    assertThat(store.get(Volume.KIND, "data")).isPresent();
    assertThat(store.get(Setting.KIND, "data")).isEmpty();
  }

  @Test
  final void updateReplacesTheSpec() throws Exception {
    Setting created = store.create(setting("a", "1"));

    Setting updated = store.update(created.withSpec(setting("a", "2").spec()));

    assertThat(updated.spec().value()).isEqualTo("2");
    assertThat(store.get(Setting.KIND, "a")).contains(updated);
  }

  @Test
  final void updateFailsWhenThereIsNothing() {
    Setting never = setting("a", "1");

    assertFails(ErrorCode.NOT_FOUND, () -> store.update(never));
    assertFails(ErrorCode.NOT_FOUND, () -> store.updateStatus(never));
  }

  @Test
  final void deleteFailsWhenThereIsNothing() {
    assertFails(ErrorCode.NOT_FOUND, () -> store.delete(Setting.KIND, "a", ""));
  }

  @Test
  final void updateFailsAfterDeletion() throws Exception {
    Setting created = store.create(setting("a", "1"));
    store.delete(Setting.KIND, "a", "");

    assertFails(ErrorCode.NOT_FOUND, () -> store.update(created));
  }

  @Test
  final void namesMayHaveDotsAndDashesAndBeLong() throws Exception {
    String longName = "a.b-c." + "x".repeat(247);
    for (String name : new String[] {"a.b", "a-b", "a.b-c.d", "0", longName}) {
      store.create(setting(name, name));
    }

    for (String name : new String[] {"a.b", "a-b", "a.b-c.d", "0", longName}) {
      assertThat(store.get(Setting.KIND, name).map(s -> s.spec().value())).contains(name);
    }
    assertThat(store.get(Setting.KIND, "a")).isEmpty();
  }

  @Test
  final void bigResourcesAreKeptWhole() throws Exception {
    Map<String, AttachmentTicket> tickets = new LinkedHashMap<>();
    for (int i = 0; i < 2000; i++) {
      String id = "csi-" + i;
      tickets.put(id, AttachmentTicket.of(id, "csi-attacher", "node-1", Map.of(), 1));
    }
    VolumeAttachment wanted =
        VolumeAttachment.of("data", new VolumeAttachmentSpec("data", tickets));
    Map<String, String> annotations = Map.of("holdfast.dev/notes", "ä€💾\n\"'".repeat(20_000));

    VolumeAttachment created =
        store.create(wanted.withMetadata(wanted.metadata().withAnnotations(annotations)));

    assertThat(created.spec()).isEqualTo(wanted.spec());
    assertThat(created.metadata().annotations()).isEqualTo(annotations);
    assertThat(store.get(VolumeAttachment.KIND, "data")).contains(created);
  }
}
