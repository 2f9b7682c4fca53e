package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.FakeControllers;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.ForwardingResourceStore;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class VolumesTest extends StoreTest {
  @Test
  void createStoresTheRequest() throws Exception {
    VolumeRequest request =
        VolumeRequest.of(
            "demo", "2Gi", OptionalInt.of(2), Optional.of("memory"), Optional.of("iscsi"));
    Volume volume = volumes.create(request, Waiting.none());

    assertThat(volumes.get("demo").spec()).isEqualTo(volume.spec());
    assertThat(volume.spec().size()).isEqualTo(Quantity.parse("2Gi"));
    assertThat(volume.spec().numberOfReplicas()).isEqualTo(2);
    assertThat(volume.spec().dataEngine()).isEqualTo("memory");
    assertThat(volume.spec().frontend()).isEqualTo("iscsi");
  }

  @Test
  void createWithWaitingReturnsAMadeVolume() throws Exception {
    Volume volume = volumes.create(VolumeRequest.of("demo", "1Gi"), PATIENT);
    assertThat(volume.status().state()).isEqualTo(VolumeState.DETACHED);
  }

  @Test
  void cloneHasTheSizeOfItsSourceUnlessALargerOneIsRequested() throws Exception {
    volumes.create(VolumeRequest.of("demo", "1Gi"), Waiting.none());
    Volume copy = volumes.create(VolumeRequest.of("copy", "").from("demo"), Waiting.none());
    assertThat(copy.spec().size()).isEqualTo(Quantity.parse("1Gi"));
    assertThat(copy.spec().cloneSource()).contains(new CloneSource("demo", ""));
    Volume larger = volumes.create(VolumeRequest.of("big", "2Gi").from("demo"), Waiting.none());
    assertThat(larger.spec().size()).isEqualTo(Quantity.parse("2Gi"));
    assertFails(
            ErrorCode.INVALID,
            () -> volumes.create(VolumeRequest.of("small", "1Mi").from("demo"), Waiting.none()))
        .hasMessage("volume small: spec.size: must be at least 1Gi, as what it is copied from");
  }

  @Test
  void cloneIsOfTheKindOfItsSourceUnlessAnotherOneIsRequested() throws Exception {
    store.create(
        Volume.of(
            "db",
            VolumeSpec.EMPTY
                .withSize(Quantity.parse("1Gi"))
                .withDataEngine("lvm")
                .withEngineOptions(Map.of("mode", "thin"))
                .withFrontend("device")
                .withNumberOfReplicas(1)));
    VolumeSpec copy =
        volumes.create(VolumeRequest.of("copy", "").from("db"), Waiting.none()).spec();
    assertThat(copy.dataEngine()).isEqualTo("lvm");
    assertThat(copy.engineOptions()).isEqualTo(Map.of("mode", "thin"));
    assertThat(copy.frontend()).isEqualTo("device");
    assertThat(copy.numberOfReplicas()).isEqualTo(1);

    VolumeRequest other =
        VolumeRequest.of(
                "other", "", OptionalInt.of(2), Optional.of("sparse"), Optional.of("iscsi"))
            .from("db");
    VolumeSpec changed = volumes.create(other, Waiting.none()).spec();
    assertThat(changed.dataEngine()).isEqualTo("sparse");
    assertThat(changed.engineOptions()).isEmpty();
    assertThat(changed.frontend()).isEqualTo("iscsi");
    assertThat(changed.numberOfReplicas()).isEqualTo(2);
  }

  @Test
  void cloneOfAMissingSourceIsRejected() throws Exception {
    assertFails(
        ErrorCode.NOT_FOUND,
        () -> volumes.create(VolumeRequest.of("copy", "").from("demo"), Waiting.none()));
    volumes.create(VolumeRequest.of("demo", "1Gi"), Waiting.none());
    assertFails(
            ErrorCode.NOT_FOUND,
            () -> volumes.create(VolumeRequest.of("copy", "").from("demo@old"), Waiting.none()))
        .hasMessageContaining("volume demo has no snapshot old");
    assertFails(ErrorCode.INVALID, () -> VolumeRequest.of("copy", "").from("demo@"))
        .hasMessageContaining("VOLUME@SNAPSHOT");
  }

  @Test
  void createReportsTheMissingConditionAfterTheTimeOut() {
    controllers.holdBackMaking();
    assertFails(ErrorCode.TIMEOUT, () -> volumes.create(VolumeRequest.of("demo", "1Gi"), SHORT))
        .hasMessage("volume demo: not done after 0.05 s, still running; waits: creating");
  }

  @Test
  void errorOfAnInvalidSizeNamesTheField() {
    assertFails(
            ErrorCode.INVALID,
            () -> volumes.create(VolumeRequest.of("demo", "big"), Waiting.none()))
        .hasMessage(
            "volume demo: spec.size: \"big\" is not a quantity: expected a number with a unit such as"
                + " 1Gi or 500M");
  }

  @Test
  void aSizeThatIsTooSmallIsNamedAsTyped() {
    assertFails(
            ErrorCode.INVALID, () -> volumes.create(VolumeRequest.of("demo", "1k"), Waiting.none()))
        .hasMessage("volume demo: spec.size: 1k is less than 1Mi, the smallest size");
  }

  @Test
  void sizeIsRoundedUpToBlocks() throws Exception {
    Volume volume = volumes.create(VolumeRequest.of("demo", "500M"), Waiting.none());
    assertThat(volume.spec().size().bytes()).isEqualTo(500_002_816);
    volumes.expand("demo", "501M", Waiting.none());
    assertThat(volumes.get("demo").spec().size()).isEqualTo(Quantity.parse("489260Ki"));
  }

  private void install(String engine, String frontend) throws Exception {
    controllers.status(
        Node.KIND,
        "node-1",
        node ->
            node.withStatus(
                node.status().withEngines(List.of(engine)).withFrontends(List.of(frontend))));
  }

  private static VolumeRequest request(String engine, String frontend) {
    return VolumeRequest.of(
        "demo", "1Gi", OptionalInt.empty(), Optional.of(engine), Optional.of(frontend));
  }

  @Test
  void anEngineOrAFrontendThatNoNodeHasIsRefused() throws Exception {
    install("sparse", "nbd");
    Volumes impatient = new Volumes(store, Duration.ZERO);
    assertFails(ErrorCode.INVALID, () -> impatient.create(request("nope", "nbd"), Waiting.none()))
        .hasMessageContaining("spec.dataEngine: Invalid value: \"nope\"")
        .hasMessageContaining("no node has this engine; installed: sparse");
    assertFails(ErrorCode.INVALID, () -> impatient.create(request("sparse", "x"), Waiting.none()))
        .hasMessageContaining("spec.frontend: Invalid value: \"x\"")
        .hasMessageContaining("no node has this frontend; installed: nbd");
    assertThat(volumes.list().items()).isEmpty();
    impatient.create(request("sparse", "nbd"), Waiting.none());
  }

  @Test
  void anEngineThatANodeReportsInTimeIsTaken() throws Exception {
    install("sparse", "nbd");
    CompletableFuture<Volume> created =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return new Volumes(store, PATIENT.timeout())
                    .create(request("new", "nbd"), Waiting.none());
              } catch (StorageException e) {
                throw new IllegalStateException(e);
              }
            });
    install("new", "nbd");
    assertThat(created.get(30, TimeUnit.SECONDS).spec().dataEngine()).isEqualTo("new");
  }

  @Test
  void aVolumeWithoutAPlaceIsCreatedWithAWarning() throws Exception {
    install("sparse", "nbd");
    controllers.holdBackMaking();
    Volume volume = volumes.create(VolumeRequest.of("demo", "900Ti"), Waiting.none());
    Condition full =
        new Condition(
            "Scheduled",
            Condition.Status.FALSE,
            "InsufficientStorage",
            "3 replicas of 900Ti cannot be placed",
            FakeControllers.THEN);
    controllers.status(
        Volume.KIND, "demo", v -> v.withStatus(v.status().withConditions(List.of(full))));
    Optional<String> problem = volumes.placementProblem(volume);
    assertThat(problem).contains("3 replicas of 900Ti cannot be placed");
  }

  @Test
  void aVolumeWithAPlaceHasNoProblem() throws Exception {
    install("sparse", "nbd");
    Volume volume = volumes.create(VolumeRequest.of("demo", "1Gi"), PATIENT);
    assertThat(volumes.placementProblem(volume)).isEmpty();
  }

  @Test
  void errorOfAnInvalidNameNamesTheField() {
    assertFails(
            ErrorCode.INVALID,
            () -> volumes.create(VolumeRequest.of("My_Volume", "1Gi"), Waiting.none()))
        .hasMessageContaining("metadata.name");
  }

  @Test
  void errorOfAMissingVolumeNamesTheCommandToListThem() {
    assertFails(ErrorCode.NOT_FOUND, () -> volumes.get("demo"))
        .hasMessage("volume demo does not exist: see 'holdfast volume list'");
  }

  @Test
  void deleteWaitsUntilTheVolumeIsDeleted() throws Exception {
    volumes.create(VolumeRequest.of("demo", "1Gi"), PATIENT);
    assertThat(volumes.delete("demo", PATIENT)).isEmpty();
    assertThat(volumes.list().items()).isEmpty();
  }

  @Test
  void deleteOfAMissingVolumeFails() {
    assertFails(ErrorCode.NOT_FOUND, () -> volumes.delete("demo", PATIENT));
  }

  @Test
  void deleteOfAnAttachedVolumeIsRefusedAtOnceAndDetachKeepsItsData() throws Exception {
    volumes.create(VolumeRequest.of("demo", "1Gi"), PATIENT);
    attachments.attach("demo", Optional.of("node-1"), PATIENT);

    assertFails(ErrorCode.BUSY, () -> volumes.delete("demo", PATIENT))
        .hasMessage(
            "volume demo is attached to node-1 by ticket api-node-1 (api): detach it with 'holdfast"
                + " volume detach demo', or have it deleted once it is detached with 'holdfast"
                + " volume delete demo --when-detached'");
    attachments.detach("demo", Optional.empty(), PATIENT);
    assertThat(volumes.get("demo").isBeingDeleted()).isFalse();
  }

  @Test
  void deleteOfAVolumeThatAWorkloadUsesNamesTheWorkloadsTicket() throws Exception {
    volumes.create(VolumeRequest.of("demo", "1Gi"), PATIENT);
    attachments.attach("demo", Optional.of("node-1"), PATIENT);
    addTicket("demo", "csi-7", "csi-attacher", "node-1");

    assertFails(ErrorCode.BUSY, () -> volumes.delete("demo", PATIENT))
        .hasMessageContaining(
            "by tickets api-node-1 (api), csi-7 (csi-attacher): end the workloads")
        .hasMessageContaining("'holdfast volume why demo'")
        .hasMessageContaining("'holdfast ticket delete demo TICKET'");
  }

  @Test
  void deletionOnceDetachedThatTheStoreDropsIsRefused() throws Exception {
    volumes.create(VolumeRequest.of("demo", "1Gi"), PATIENT);
    assertFails(
            ErrorCode.UNSUPPORTED,
            () -> new Volumes(new EarlierStore(store)).deleteWhenDetached("demo", Optional.empty()))
        .hasMessageStartingWith("volume demo: deletion once detached is not stored")
        .hasMessageContaining("upgrade the node that has the store")
        .hasMessageEndingWith("'holdfast volume delete demo'");
  }

  /** Of a release that does not know {@code deleteWhenDetached}. */
  private static final class EarlierStore extends ForwardingResourceStore {
    EarlierStore(ResourceStore store) {
      super(store);
    }

    @Override
    public <R extends Resource<R>> R update(R resource) throws StorageException {
      if (!(resource instanceof Volume volume)) {
        return super.update(resource);
      }
      Volume known = volume.withSpec(volume.spec().withDeleteWhenDetached(false));
      return resource.resourceKind().type().cast(super.update(known));
    }
  }

  @Test
  void deletionOnceDetachedIsShownAndTakenBack() throws Exception {
    volumes.create(VolumeRequest.of("demo", "1Gi"), PATIENT);
    attachments.attach("demo", Optional.of("node-1"), PATIENT);

    Volume marked = volumes.deleteWhenDetached("demo", Optional.empty());
    assertThat(marked.isBeingDeleted()).isFalse();
    assertThat(marked.spec().deleteWhenDetached()).isTrue();

    Volume kept = volumes.cancelDeletion("demo");
    assertThat(kept.spec().deleteWhenDetached()).isFalse();
  }

  @Test
  void cancelOfADeletionThatIsFinalFails() throws Exception {
    volumes.create(VolumeRequest.of("demo", "1Gi"), PATIENT);
    controllers.holdBackDeleting();
    volumes.delete("demo", Waiting.none());
    assertFails(ErrorCode.BUSY, () -> volumes.cancelDeletion("demo"))
        .hasMessageContaining("volume demo is being deleted, which cannot be taken back");
  }

  @Test
  void deleteWithoutWaitingShowsTheRemainingVolume() throws Exception {
    volumes.create(VolumeRequest.of("demo", "1Gi"), PATIENT);
    controllers.holdBackDeleting();
    assertThat(volumes.delete("demo", Waiting.none()).orElseThrow().isBeingDeleted()).isTrue();
  }

  @Test
  void errorOfADetachedVolumesEndpointNamesTheRemedy() throws Exception {
    volumes.create(VolumeRequest.of("demo", "1Gi"), PATIENT);
    assertFails(ErrorCode.NOT_FOUND, () -> volumes.endpoint("demo"))
        .hasMessage(
            "volume demo has no endpoint: it is detached; attach it with 'holdfast volume attach"
                + " demo'");
  }
}
