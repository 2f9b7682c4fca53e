package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.EngineRecords;
import dev.holdfast.engine.lvm.blobs.internal.lvm.GroupView;
import dev.holdfast.engine.lvm.blobs.internal.lvm.LvmGroup;
import dev.holdfast.engine.lvm.blobs.waits.PoolWait;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import java.util.List;
import java.util.Optional;

/**
 * Blobs in the local volume groups of one node, without lock daemons. Calls about blobs of one pool
 * exclude each other. LVM's own lock keeps commands about one group apart.
 */
public final class LocalBlobManager implements BlobManager {
  private static final int LOCKS = 64;

  private final Host host;
  private final GroupReports reports;
  private final EngineRecords records;
  private final String node;
  private final Object[] locks = new Object[LOCKS];
  private final SpaceKeeper spaces;

  /**
   * Works on the groups of a host.
   *
   * @param reports of the host on which the commands run
   * @param records of the engine; no other manager may use records whose names start with {@code
   *     pool.} for the groups of this host
   * @param node name of the host's node, which the records name
   */
  public LocalBlobManager(GroupReports reports, EngineRecords records, String node) {
    this.host = reports.host();
    this.reports = reports;
    this.records = records;
    this.node = node;
    this.spaces = new SpaceKeeper(reports);
    for (int n = 0; n < LOCKS; n++) {
      locks[n] = new Object();
    }
  }

  @Override
  public GroupInfo group(String group) throws StorageException {
    return GroupRules.whole(host, group);
  }

  @Override
  public Optional<GroupInfo> inspect(String group) throws StorageException {
    GroupInfo info = group(group);
    GroupRules.requireLocal(info);
    return GroupRules.inUse(host, info);
  }

  @Override
  public GroupInfo take(String group) throws StorageException {
    return GroupRules.take(reports, group, inspect(group));
  }

  /** A group at the time of a call. */
  private record Scene(GroupInfo group, LvmGroup lvm, PoolRecords records, BlobSteps steps) {}

  private Scene scene(String name) throws StorageException {
    return scene(group(name));
  }

  private Scene scene(GroupInfo group) throws StorageException {
    GroupRules.requireLocal(group);
    LvmGroup lvm = reports.group(group.name());
    return new Scene(
        group,
        lvm,
        new PoolRecords(records, group.uuid()),
        new BlobSteps(host, lvm, group.extentBytes()));
  }

  private Object lock(String group, String pool) {
    return locks[Math.floorMod((group + "/" + pool).hashCode(), LOCKS)];
  }

  /** Returns the pool that a blob is in, or that it would be in if it were created empty. */
  private static String poolOf(Scene scene, Blob blob) throws StorageException {
    return scene
        .records()
        .having(blob, scene.lvm().volumes())
        .map(version -> version.pool().id())
        .orElse(blob.name());
  }

  private PoolJournal journal(Scene scene, String pool) throws StorageException {
    return new PoolJournal(scene.records(), scene.group().name(), node, pool, false);
  }

  private PoolCall call(Scene scene, String pool) throws StorageException {
    return new PoolCall(journal(scene, pool), scene.steps());
  }

  @Override
  public void recover(String group) throws StorageException {
    Scene scene = scene(group);
    StorageException failure = null;
    for (PoolRecords.Version version : scene.records().all()) {
      String pool = version.pool().id();
      synchronized (lock(group, pool)) {
        try {
          new PoolCompletion(journal(scene, pool), scene.steps()).recover();
        } catch (StorageException e) {
          failure = first(failure, e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** Returns the first of two failures, with the other one in it. */
  static StorageException first(StorageException earlier, StorageException failure) {
    if (earlier == null) {
      return failure;
    }
    earlier.addSuppressed(failure);
    return earlier;
  }

  @Override
  public void createEmpty(Blob blob, BlobOptions options, long sizeBytes) throws StorageException {
    Scene scene = scene(blob.group());
    GroupRules.requireSize(blob, scene.group(), sizeBytes);
    String pool = poolOf(scene, blob);
    synchronized (lock(blob.group(), pool)) {
      call(scene, pool).createEmpty(blob, options, sizeBytes);
    }
  }

  @Override
  public void createCopy(Blob blob, Blob source) throws StorageException {
    GroupRules.requireSameGroup(blob, source);
    Scene scene = scene(blob.group());
    String pool = poolOf(scene, source);
    Optional<PoolRecords.Version> present = scene.records().having(blob.name(), pool);
    if (present.isPresent() && !present.get().pool().id().equals(pool)) {
      throw new StorageException(
          ErrorCode.ALREADY_EXISTS, "blob " + blob + " exists and is not a copy of " + source);
    }
    synchronized (lock(blob.group(), pool)) {
      call(scene, pool).createCopy(blob, source);
    }
  }

  @Override
  public void delete(Blob blob) throws StorageException {
    Scene scene = scene(blob.group());
    String pool = poolOf(scene, blob);
    synchronized (lock(blob.group(), pool)) {
      call(scene, pool).delete(blob);
    }
  }

  @Override
  public AttachedBlob attach(Blob blob, String cookie) throws StorageException {
    Scene scene = scene(blob.group());
    String pool = poolOf(scene, blob);
    synchronized (lock(blob.group(), pool)) {
      return call(scene, pool).attach(blob, cookie);
    }
  }

  @Override
  public void detach(Blob blob, String cookie) throws StorageException {
    Scene scene = scene(blob.group());
    String pool = poolOf(scene, blob);
    synchronized (lock(blob.group(), pool)) {
      call(scene, pool).detach(blob, cookie);
    }
  }

  @Override
  public void extend(Blob blob, long sizeBytes) throws StorageException {
    Scene scene = scene(blob.group());
    GroupRules.requireSize(blob, scene.group(), sizeBytes);
    String pool = poolOf(scene, blob);
    synchronized (lock(blob.group(), pool)) {
      call(scene, pool).extend(blob, sizeBytes);
    }
  }

  @Override
  public void changes(Optional<Blob> older, Blob newer, ExtentVisitor visitor)
      throws StorageException {
    Scene scene = scene(newer.group());
    String pool = poolOf(scene, newer);
    synchronized (lock(newer.group(), pool)) {
      call(scene, pool).changes(older, newer, visitor);
    }
  }

  /** All devices of a group of one node are on that node. */
  @Override
  public void keepLinks(String group) {}

  @Override
  public List<PoolSpace> keepSpace(String group) throws StorageException {
    Optional<GroupView> view = spaces.look(group);
    if (view.isEmpty()) {
      return spaces.spaces(group);
    }
    GroupRules.requireLocal(GroupRules.whole(host, view.get().group()));
    return spaces.keep(view.get());
  }

  @Override
  public List<PoolWait> waits(String group) {
    return spaces.waits(group);
  }

  @Override
  public Optional<BlobInfo> find(Blob blob) throws StorageException {
    GroupView view = reports.recent(blob.group());
    Scene scene = scene(GroupRules.whole(host, view.group()));
    return scene
        .records()
        .having(blob, view.volumes())
        .map(version -> GroupRules.info(blob, version.pool(), view));
  }

  @Override
  public long size(Blob blob) throws StorageException {
    return find(blob)
        .orElseThrow(
            () -> new StorageException(ErrorCode.NOT_FOUND, "blob " + blob + " does not exist"))
        .sizeBytes();
  }
}
