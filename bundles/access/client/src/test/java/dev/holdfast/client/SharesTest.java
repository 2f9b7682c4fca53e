package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.RequestOutcome;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.share.AllowedClient;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerSpec;
import dev.holdfast.share.ShareManagerStatus;
import dev.holdfast.share.ShareSquash;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests of users for shares. */
class SharesTest {
  private static final String NAME = "demo";
  private static final Waiting PATIENT = Waiting.upTo(Duration.ofSeconds(30));
  private static final Waiting SHORT = Waiting.upTo(Duration.ofMillis(50));

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final Shares shares = new Shares(store);

  @BeforeEach
  void createSharedVolume() throws StorageException {
    volume(NAME, spec -> spec.withAccessMode(AccessMode.READ_WRITE_MANY));
    store.create(ShareManager.of(ShareManagerSpec.EMPTY.withVolume(NAME)));
    store.create(VolumeAttachment.of(NAME, new VolumeAttachmentSpec(NAME, Map.of())));
  }

  private void volume(String name, UnaryOperator<VolumeSpec> change) throws StorageException {
    store.create(Volume.of(name, change.apply(VolumeSpec.EMPTY.withSize(new Quantity(16L << 20)))));
  }

  private ShareManagerSpec spec() throws StorageException {
    return store.get(ShareManager.KIND, NAME).orElseThrow().spec();
  }

  private void status(UnaryOperator<ShareManagerStatus> change) throws StorageException {
    ShareManager share = store.get(ShareManager.KIND, NAME).orElseThrow();
    store.updateStatus(share.withStatus(change.apply(share.status())));
  }

  private void runs() throws StorageException {
    status(
        s ->
            s.withState(InstanceState.RUNNING)
                .withNodeID("n1")
                .withEndpoint("nfs://10.0.0.1:2049/demo")
                .withObservedGeneration(Long.MAX_VALUE));
  }

  private void ticket(String id, String type, String node) throws StorageException {
    VolumeAttachment attachment = store.get(VolumeAttachment.KIND, NAME).orElseThrow();
    AttachmentTicket ticket = AttachmentTicket.EMPTY.withId(id).withType(type).withNodeID(node);
    store.update(attachment.withSpec(attachment.spec().withAttachmentTickets(Map.of(id, ticket))));
  }

  private interface Call {
    void run() throws StorageException;
  }

  private static void fails(ErrorCode code, String message, Call call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(message);
  }

  private static ShareSettings allowing(String... clients) {
    return new ShareSettings(
        NAME,
        Optional.empty(),
        Optional.of(List.of(clients)),
        true,
        Optional.of(ShareSquash.ROOT),
        Optional.empty(),
        Optional.empty());
  }

  private static ShareSettings at(String address, List<String> clients) {
    return new ShareSettings(
        NAME,
        Optional.of(address),
        Optional.of(clients),
        false,
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private static ShareSettings keys(String file, String secret) {
    return new ShareSettings(
        NAME,
        Optional.empty(),
        Optional.empty(),
        false,
        Optional.empty(),
        Optional.ofNullable(file),
        Optional.ofNullable(secret));
  }

  @Test
  void fileAndSecretOfAKeyTakeEachOthersPlace() throws StorageException {
    shares.share(keys("/etc/key", null), Waiting.none());
    assertThat(spec().keyFile()).isEqualTo("/etc/key");
    shares.share(keys(null, "volume-key"), Waiting.none());
    assertThat(spec().keyFile()).isEmpty();
    assertThat(spec().keySecret()).isEqualTo("volume-key");
    shares.share(ShareSettings.of(NAME), Waiting.none());
    assertThat(spec().keySecret()).isEqualTo("volume-key");
    shares.share(keys(null, ""), Waiting.none());
    assertThat(spec().isEncrypted()).isFalse();
    fails(
        ErrorCode.INVALID,
        "spec.keySecret",
        () -> shares.share(keys("/etc/key", "volume-key"), Waiting.none()));
  }

  @Test
  void requestIsStoredAndLeavesOtherSettingsAsTheyAre() throws StorageException {
    shares.share(allowing("10.0.0.0/24", "10.1.0.7"), Waiting.none());
    assertThat(spec().serve()).isTrue();
    assertThat(spec().squash()).isEqualTo(ShareSquash.ROOT);
    assertThat(spec().allowedClients())
        .containsExactly(
            AllowedClient.of("10.0.0.0/24").withReadOnly(true),
            AllowedClient.of("10.1.0.7").withReadOnly(true));
    ShareManagerSpec before = spec();
    shares.share(ShareSettings.of(NAME), Waiting.none());
    assertThat(spec()).isEqualTo(before);
  }

  @Test
  void requestWaitsUntilTheShareServesWithItsSettings() throws StorageException {
    runs();
    assertThat(shares.share(allowing("10.0.0.9"), PATIENT).status().endpoint())
        .isEqualTo("nfs://10.0.0.1:2049/demo");
    status(s -> s.withObservedGeneration(0));
    fails(ErrorCode.TIMEOUT, "share is running", () -> shares.share(allowing("10.9.0.9"), SHORT));
    status(
        s ->
            s.withState(InstanceState.ERROR)
                .withConditions(
                    List.of(
                        new Condition(
                            Condition.READY,
                            Condition.Status.FALSE,
                            "PackagesMissing",
                            "node n1 lacks nfs-ganesha",
                            Instant.EPOCH))));
    fails(
        ErrorCode.TIMEOUT,
        "share is error: node n1 lacks nfs-ganesha",
        () -> shares.share(allowing("10.9.0.9"), SHORT));
    assertThat(spec().serve()).isTrue();
  }

  @Test
  void volumeWithoutAShareIsRefusedWithTheRemedy() throws StorageException {
    volume("one", spec -> spec);
    volume("moves", spec -> spec.withAccessMode(AccessMode.READ_WRITE_MANY).withMigratable(true));
    fails(
        ErrorCode.NOT_FOUND,
        "volume none does not exist",
        () -> shares.share(ShareSettings.of("none"), SHORT));
    fails(
        ErrorCode.INVALID,
        "spec.accessMode is rwo, a share needs rwx: make a copy with 'holdfast volume create NAME"
            + " --from one --access-mode rwx'",
        () -> shares.share(ShareSettings.of("one"), SHORT));
    fails(
        ErrorCode.INVALID,
        "spec.migratable is true",
        () -> shares.share(ShareSettings.of("moves"), SHORT));
    fails(ErrorCode.INVALID, "a share needs rwx", () -> shares.get("one"));
    volume("new", spec -> spec.withAccessMode(AccessMode.READ_WRITE_MANY));
    fails(
        ErrorCode.TIMEOUT,
        "its ShareManager, which the share controller makes",
        () -> shares.share(ShareSettings.of("new"), SHORT));
  }

  @Test
  void volumeInUseAsADeviceIsRefused() throws StorageException {
    ticket("api-n1", Attachments.TICKET_TYPE, "n1");
    fails(
        ErrorCode.BUSY,
        "is in use as a device by ticket api-n1: first 'holdfast umount demo'",
        () -> shares.share(ShareSettings.of(NAME), SHORT));
    assertThat(spec().serve()).isFalse();
  }

  @Test
  void addressNeedsClientsAndMustBeFree() throws StorageException {
    fails(
        ErrorCode.INVALID,
        "none is allowed: name them with --allow",
        () -> shares.share(at("10.0.0.9/24%eth0", List.of()), SHORT));
    fails(
        ErrorCode.INVALID,
        "spec.address",
        () -> shares.share(at("10.0.0.9", List.of("10.0.0.0/24")), SHORT));
    fails(
        ErrorCode.INVALID,
        "spec.allowedClients[1].address",
        () -> shares.share(allowing("10.0.0.0/24", "somewhere"), SHORT));
    volume("other", spec -> spec.withAccessMode(AccessMode.READ_WRITE_MANY));
    store.create(
        ShareManager.of(
            ShareManagerSpec.EMPTY.withVolume("other").withAddress("10.0.0.9/16%eth1")));
    fails(
        ErrorCode.CONFLICT,
        "--address 10.0.0.9 is in use by share other",
        () -> shares.share(at("10.0.0.9/24%eth0", List.of("10.0.0.0/24")), SHORT));
    Node node = store.create(Node.of("n1", NodeSpec.EMPTY));
    store.updateStatus(node.withStatus(node.status().withAddress("10.0.0.8")));
    fails(
        ErrorCode.CONFLICT,
        "--address 10.0.0.8 is in use by node n1 as its own",
        () -> shares.share(at("10.0.0.8/24%eth0", List.of("10.0.0.0/24")), SHORT));
    assertThat(spec()).isEqualTo(ShareManagerSpec.EMPTY.withVolume(NAME));
  }

  @Test
  void stopWaitsForTheNodeAndSparesClientsAndPods() throws StorageException {
    runs();
    shares.share(ShareSettings.of(NAME), PATIENT);
    status(s -> s.withClients(List.of("10.0.0.21")));
    fails(
        ErrorCode.BUSY,
        "is mounted by 10.0.0.21: unmount it there, or stop it with 'holdfast share stop demo"
            + " --force'",
        () -> shares.stop(NAME, false, SHORT));
    assertThat(spec().serve()).isTrue();
    fails(ErrorCode.TIMEOUT, "share is running", () -> shares.stop(NAME, true, SHORT));
    assertThat(spec().serve()).isFalse();
    ticket("csi-1", "csi-attacher", "n3");
    shares.stop(NAME, false, PATIENT);
    assertThat(shares.workloadNodes(NAME)).containsExactly("n3");
    ticket("any", "snapshot-controller", "n1");
    status(s -> ShareManagerStatus.EMPTY);
    assertThat(shares.stop(NAME, false, PATIENT).status().state()).isEqualTo(InstanceState.STOPPED);
  }

  @Test
  void trimReturnsItsOutcome() throws Exception {
    fails(
        ErrorCode.BUSY,
        "share demo is stopped and cannot be trimmed: first 'holdfast share demo'",
        () -> shares.trim(NAME, SHORT));
    runs();
    fails(ErrorCode.TIMEOUT, "trim of share demo", () -> shares.trim(NAME, SHORT));
    try (Watch node = answering("4096 bytes", "")) {
      assertThat(node).isNotNull();
      assertThat(shares.trim(NAME, PATIENT).result()).isEqualTo("4096 bytes");
    }
    try (Watch node = answering("", "the mount has another device")) {
      assertThat(node).isNotNull();
      fails(
          ErrorCode.IO,
          "share demo: the mount has another device",
          () -> shares.trim(NAME, PATIENT));
    }
  }

  /** Plays the node that serves the share: answers each request for a trim. */
  private Watch answering(String result, String error) throws StorageException {
    return store.watch(
        ShareManager.KIND,
        store.list(ShareManager.KIND, dev.holdfast.store.LabelSelector.ALL).resourceVersion(),
        new WatchListener<ShareManager>() {
          @Override
          public void changed(WatchEvent<ShareManager> event) {
            String wanted = event.resource().spec().trimRequest();
            if (event.resource().status().trim().isPending(wanted)) {
              try {
                status(
                    s ->
                        s.withTrim(
                            new RequestOutcome(wanted, Optional.of(Instant.EPOCH), result, error)));
              } catch (StorageException e) {
                throw new IllegalStateException(e);
              }
            }
          }

          @Override
          public void ended(StorageException cause) {}
        });
  }

  @Test
  void growthThatFailedIsAProblemOfTheShareAndOfItsVolume() throws Exception {
    runs();
    assertThat(ShareProblem.ofGrowth(shares.get(NAME))).isEmpty();
    status(
        s ->
            s.withConditions(
                Condition.with(
                    s.conditions(),
                    ShareManager.GROWTH_CONDITION,
                    Condition.Status.FALSE,
                    "GrowthFailed",
                    "resize2fs: no",
                    Instant.EPOCH)));

    assertThat(ShareProblem.ofGrowth(shares.get(NAME))).contains("resize2fs: no");
    assertThat(new Explanations(store).why(NAME).problems())
        .extracting(Condition::type, Condition::message)
        .containsExactly(tuple("FilesystemGrown", "resize2fs: no"));
  }
}
