package dev.holdfast.attacher.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.ResourceReader;
import dev.holdfast.attacher.SubjectAttacher;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.attacher.testkit.AttacherKit;
import dev.holdfast.attacher.testkit.ExpectedTicket;
import dev.holdfast.attacher.testkit.Volumes;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetSpec;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.rule.testkit.PlantedRun;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Backups that begin, fail, end and are deleted, at a target that is reachable at times only. */
class BackupAttacherTest extends AttacherKit {
  private static final List<String> VOLUMES = List.of("aa", "bb");
  private static final List<BackupState> STATES = List.of(BackupState.values());

  /** The snapshot is to be taken, and it is transferred. */
  private static final Set<BackupState> ATTACHED =
      Set.of(BackupState.NONE, BackupState.IN_PROGRESS);

  @Override
  protected Reconciler<?> attacher() {
    return new BackupAttacher();
  }

  @Override
  protected void prepare(ResourceStore store) throws StorageException {
    for (String volume : VOLUMES) {
      Volumes.create(store, volume);
    }
    store.create(
        BackupTarget.of(
            BackupTarget.DEFAULT_NAME,
            BackupTargetSpec.EMPTY.withBackupTargetURL("file:///backups")));
  }

  @Override
  protected void change(ResourceStore store, Random random) throws StorageException {
    if (random.nextInt(5) == 0) {
      BackupTarget target = store.get(BackupTarget.KIND, BackupTarget.DEFAULT_NAME).orElseThrow();
      store.updateStatus(target.withStatus(target.status().withAvailable(random.nextInt(3) > 0)));
      return;
    }
    String name = "backup-" + random.nextInt(4);
    Optional<Backup> present = store.get(Backup.KIND, name);
    if (present.isEmpty()) {
      String volume = VOLUMES.get(random.nextInt(VOLUMES.size()));
      Backup backup = Backup.of(name, BackupSpec.EMPTY.withVolume(volume));
      ObjectMeta metadata = backup.metadata().plusFinalizer(Backup.FINALIZER);
      boolean discovered = random.nextInt(4) == 0;
      store.create(
          backup.withMetadata(
              discovered
                  ? metadata.withLabels(Map.of(Backup.DISCOVERED_LABEL, "true"))
                  : metadata));
      return;
    }
    Backup backup = present.get();
    switch (random.nextInt(6)) {
      case 0 -> store.delete(Backup.KIND, name, "");
      case 1 ->
          store.update(backup.withMetadata(backup.metadata().minusFinalizer(Backup.FINALIZER)));
      default ->
          store.updateStatus(
              backup.withStatus(
                  backup.status().withState(STATES.get(random.nextInt(STATES.size())))));
    }
  }

  @Override
  protected Set<ExpectedTicket> wanted(ResourceStore store) throws StorageException {
    boolean available =
        store.get(BackupTarget.KIND, BackupTarget.DEFAULT_NAME).orElseThrow().status().available();
    Set<ExpectedTicket> wanted = new TreeSet<>();
    for (Backup backup : store.list(Backup.KIND, LabelSelector.ALL).items()) {
      if (available
          && ATTACHED.contains(backup.status().state())
          && !backup.isDiscovered()
          && !backup.isBeingDeleted()) {
        wanted.add(
            new ExpectedTicket(
                "backup-controller-" + backup.name(),
                TicketDemand.withAnyFrontend(backup.spec().volume())));
      }
    }
    return wanted;
  }

  /** Keeps a volume attached while its target is away. */
  private static final class KeepsTickets extends SubjectAttacher<Backup> {
    KeepsTickets() {
      super(Backup.KIND, List.of());
    }

    @Override
    public String name() {
      return "backup-controller";
    }

    @Override
    public int priority() {
      return 800;
    }

    @Override
    public Role role() {
      return Role.INTERRUPTIBLE;
    }

    @Override
    protected List<TicketDemand> demands(Backup backup, ResourceReader reader) {
      return backup.needsEngine()
          ? List.of(TicketDemand.withAnyFrontend(backup.spec().volume()))
          : List.of();
    }
  }

  /** The kit with the defective attacher. */
  static final class Planted extends BackupAttacherTest {
    @Override
    protected Reconciler<?> attacher() {
      return new KeepsTickets();
    }
  }

  @Test
  void findsATicketThatIsKeptByADeadTarget() {
    String rule = "aTicketExistsIfAndOnlyIfItsSubjectNeedsIt";
    assertThat(PlantedRun.of(Planted.class, rule).failureOf(rule))
        .contains("found [", "/backup-controller-backup-");
  }

  @Test
  void aWorkloadMayInterruptIt() {
    assertThat(new BackupAttacher().priority()).isEqualTo(800);
    assertThat(new BackupAttacher().role()).isEqualTo(AttacherProvider.Role.INTERRUPTIBLE);
  }

  private static List<TicketDemand> demands(ResourceStore store, String backup)
      throws StorageException {
    Backup present = store.get(Backup.KIND, backup).orElseThrow();
    return new BackupAttacher().demands(present, new StoreReader(store));
  }

  @Test
  void volumeStaysAttachedUntilTheReplacedSnapshotIsRemoved() throws Exception {
    try (MemoryResourceStore store = new MemoryResourceStore()) {
      prepare(store);
      Backup backup = store.create(Backup.of("second", BackupSpec.EMPTY.withVolume("aa")));
      store.updateStatus(backup.withStatus(backup.status().withState(BackupState.COMPLETED)));
      Snapshot snapshot = Snapshot.of("first", SnapshotSpec.EMPTY.withVolume("aa"));
      store.create(
          snapshot.withMetadata(
              snapshot
                  .metadata()
                  .plusFinalizer(Snapshot.FINALIZER)
                  .withLabels(Map.of(Backup.REPLACED_BY_LABEL, "second"))));
      store.delete(Snapshot.KIND, "first", "");
      assertThat(demands(store, "second")).isEmpty();
      Volumes.status(store, "aa", status -> status.withState(VolumeState.ATTACHED));
      assertThat(demands(store, "second")).containsExactly(TicketDemand.withAnyFrontend("aa"));
      Snapshot leaving = store.get(Snapshot.KIND, "first").orElseThrow();
      store.update(leaving.withMetadata(leaving.metadata().minusFinalizer(Snapshot.FINALIZER)));
      assertThat(demands(store, "second")).isEmpty();
    }
  }

  /** Reads a store. */
  private record StoreReader(ResourceStore store) implements ResourceReader {
    @Override
    public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name)
        throws StorageException {
      return store.get(kind, name);
    }

    @Override
    public <R extends Resource<R>> List<R> list(ResourceKind<R> kind, LabelSelector selector)
        throws StorageException {
      return store.list(kind, selector).items();
    }
  }
}
