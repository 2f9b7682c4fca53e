package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.EngineRecords;
import dev.holdfast.engine.lvm.blobs.PoolRecord.Attachment;
import dev.holdfast.engine.lvm.blobs.internal.lvm.GroupView;
import dev.holdfast.engine.lvm.blobs.internal.lvm.LvmGroup;
import dev.holdfast.engine.lvm.blobs.internal.waits.PoolShortages;
import dev.holdfast.engine.lvm.blobs.links.PoolLinks;
import dev.holdfast.engine.lvm.blobs.locks.GroupLocks;
import dev.holdfast.engine.lvm.blobs.locks.LockReport;
import dev.holdfast.engine.lvm.blobs.waits.PoolWait;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;

/**
 * Blobs in volume groups that several nodes share, with lock daemons. A thin pool is active on one
 * node, which exports its blobs to the others; it moves while it is in use. A linear blob is active
 * on each node that uses it. A call can be made on any node: where the pool is active elsewhere, it
 * is made there.
 *
 * <p>Calls about one pool on one node exclude each other, and hold no lock while another node
 * works. The nodes agree by the record of the pool.
 */
public final class SharedBlobManager implements BlobManager {
  private final Host host;
  private final GroupReports reports;
  private final EngineRecords stored;
  private final String node;
  private final GroupLocks locks;
  private final PoolLinks links;
  private final PoolPeers peers;
  private final InstantSource clock;
  private final BiPredicate<Blob, String> inUse;
  private final Map<String, PoolMemory> memories = new ConcurrentHashMap<>();
  private final SpaceKeeper spaces;
  private final PoolShortages shortages;

  /**
   * Works on the shared groups of a host.
   *
   * @param reports of the host on which the commands run
   * @param stored records of the engine, the same for all nodes
   * @param node name of this node
   * @param access locks and links of the host, and the other nodes
   * @param clock of the host
   * @param inUse whether a user in this process has a blob attached under a cookie
   */
  public SharedBlobManager(
      GroupReports reports,
      EngineRecords stored,
      String node,
      SharedAccess access,
      InstantSource clock,
      BiPredicate<Blob, String> inUse) {
    this.host = reports.host();
    this.reports = reports;
    this.stored = stored;
    this.node = node;
    this.locks = access.locks();
    this.links = access.links();
    this.peers = access.peers();
    this.clock = clock;
    this.inUse = inUse;
    this.spaces = new SpaceKeeper(reports);
    this.shortages = new PoolShortages(stored, node);
  }

  @Override
  public GroupInfo group(String group) throws StorageException {
    return GroupRules.whole(host, group);
  }

  @Override
  public Optional<GroupInfo> inspect(String group) throws StorageException {
    return inspected(group, reports.recentLocks(group, () -> locks.inspect(group)));
  }

  private Optional<GroupInfo> inspected(String group, LockReport report) throws StorageException {
    GroupInfo info = group(group);
    GroupRules.requireLocks(info, report);
    return GroupRules.inUse(host, info);
  }

  @Override
  public GroupInfo take(String group) throws StorageException {
    return GroupRules.take(reports, group, inspected(group, locks.inspect(group)));
  }

  private SharedGroup scene(String name) throws StorageException {
    return scene(group(name));
  }

  /** Returns a group to look at, and not to change. */
  private SharedGroup seen(GroupView view) throws StorageException {
    return scene(GroupRules.whole(host, view.group()));
  }

  private SharedGroup scene(GroupInfo info) {
    LvmGroup lvm = reports.group(info.name());
    PoolRecords records = new PoolRecords(stored, info.uuid());
    BlobSteps steps = new BlobSteps(host, lvm, info.extentBytes());
    UUID id = UUID.nameUUIDFromBytes(info.uuid().getBytes(StandardCharsets.UTF_8));
    PoolHost commands = new PoolHost(host, lvm, steps, links, node, id + ".");
    PoolPass pass = new PoolPass(records, lvm, commands, locks, peers, clock, node);
    return new SharedGroup(info, lvm, records, steps, commands, pass);
  }

  /** Returns what this process knows of a pool, which is the lock of the pool too. */
  private PoolMemory memory(SharedGroup group, String pool) {
    return memories.computeIfAbsent(group.name() + "/" + pool, name -> new PoolMemory());
  }

  private PoolStep pass(SharedGroup group, String pool) throws StorageException {
    PoolMemory memory = memory(group, pool);
    synchronized (memory) {
      return group.pass().run(pool, memory);
    }
  }

  private PoolDriver driver(SharedGroup group, String pool) {
    return new PoolDriver(
        group.records(), peers, node, group.name(), pool, () -> pass(group, pool));
  }

  /**
   * Makes the steps of this node about a pool, until it waits for another node or has nothing to
   * do. Called for other nodes, and safe at any time.
   *
   * @param group name of the volume group
   * @param pool its identifier
   * @throws StorageException BUSY while another host has the lock that this node needs; UNREACHABLE
   *     while an export does not answer
   */
  public void advance(String group, String pool) throws StorageException {
    PoolStep unused = pass(scene(group), pool);
  }

  /**
   * Makes a call that another node asks for.
   *
   * @param call to make on this node
   * @throws StorageException as the call does
   */
  public void perform(BlobCall call) throws StorageException {
    Blob blob = call.blob();
    switch (call.kind()) {
      case CREATE_EMPTY, CREATE_COPY, DELETE, EXTEND -> owned(scene(blob.group()), call);
      case ATTACH -> {
        AttachedBlob unused = attach(blob, call.cookie());
      }
      case DETACH -> detach(blob, call.cookie());
      case ABANDON -> abandon(blob, call.cookie());
    }
  }

  private void abandon(Blob blob, String cookie) throws StorageException {
    if (inUse.test(blob, cookie)) {
      throw new StorageException(
          ErrorCode.BUSY,
          "blob " + blob + " is in use on node " + node + ": detach it there first");
    }
    new HostDevices(host).hide(blob);
    detach(blob, cookie);
  }

  private void owned(SharedGroup group, BlobCall call) throws StorageException {
    calls(group).make(call);
  }

  private SharedCalls calls(SharedGroup group) {
    return new SharedCalls(group, node, peers, this::memory, this::driver);
  }

  @Override
  public void createEmpty(Blob blob, BlobOptions options, long sizeBytes) throws StorageException {
    SharedGroup group = scene(blob.group());
    GroupRules.requireSize(blob, group.info(), sizeBytes);
    owned(group, BlobCall.createEmpty(blob, options, sizeBytes));
  }

  @Override
  public void createCopy(Blob blob, Blob source) throws StorageException {
    GroupRules.requireSameGroup(blob, source);
    SharedGroup group = scene(blob.group());
    String pool = group.poolOf(source);
    Optional<PoolRecords.Version> present = group.records().having(blob.name(), pool);
    if (present.isPresent() && !present.get().pool().id().equals(pool)) {
      throw new StorageException(
          ErrorCode.ALREADY_EXISTS, "blob " + blob + " exists and is not a copy of " + source);
    }
    owned(group, BlobCall.createCopy(blob, source));
  }

  @Override
  public void delete(Blob blob) throws StorageException {
    owned(scene(blob.group()), BlobCall.delete(blob));
  }

  @Override
  public void extend(Blob blob, long sizeBytes) throws StorageException {
    SharedGroup group = scene(blob.group());
    GroupRules.requireSize(blob, group.info(), sizeBytes);
    owned(group, BlobCall.extend(blob, sizeBytes));
    driver(group, group.poolOf(blob)).untilConnected();
  }

  @Override
  public AttachedBlob attach(Blob blob, String cookie) throws StorageException {
    SharedGroup group = scene(blob.group());
    SharedAttachments attachments = attachments(group, blob);
    RecordedBlob present = attachments.usable();
    if (present.phase() == RecordedBlob.Phase.EXTENDING) {
      owned(group, BlobCall.extend(blob, present.sizeBytes()));
    }
    if (attachments.record(cookie)) {
      connect(group, attachments.pool());
    }
    return attachments.device();
  }

  private void connect(SharedGroup group, String pool) throws StorageException {
    try {
      driver(group, pool).untilConnected();
    } catch (StorageException e) {
      Optional<PoolRecords.Version> version = group.records().read(pool);
      if (e.code() == ErrorCode.UNREACHABLE && version.isPresent()) {
        String active = version.get().pool().place().activeOn();
        if (!active.isEmpty() && !peers.isReachable(active)) {
          calls(group).requireFree(version.get().pool(), active);
        }
      }
      throw e;
    }
  }

  private SharedAttachments attachments(SharedGroup group, Blob blob) throws StorageException {
    String pool = group.poolOf(blob);
    return new SharedAttachments(group, node, blob, pool, memory(group, pool));
  }

  /**
   * Makes a blob a device of a node; see {@link #attach(Blob, String)}.
   *
   * @param blob its name
   * @param on the node
   * @param cookie of the user of the device, not empty
   * @throws StorageException as {@link #attach(Blob, String)}; UNREACHABLE when the node does not
   *     answer
   */
  public void attach(Blob blob, String on, String cookie) throws StorageException {
    if (on.equals(node)) {
      AttachedBlob unused = attach(blob, cookie);
    } else {
      peers.perform(on, BlobCall.of(BlobCall.Kind.ATTACH, blob, cookie));
    }
  }

  @Override
  public void detach(Blob blob, String cookie) throws StorageException {
    SharedGroup group = scene(blob.group());
    SharedAttachments attachments = attachments(group, blob);
    if (attachments.withdraw(cookie)) {
      String pool = attachments.pool();
      driver(group, pool).untilConnected();
      leaveToUsers(group, blob, pool);
    }
  }

  /** Moves a pool that this node does not use any more to a node that uses it. */
  private void leaveToUsers(SharedGroup group, Blob blob, String pool) throws StorageException {
    Optional<PoolRecords.Version> version = group.records().read(pool);
    if (version.isEmpty() || !version.get().pool().place().activeOn().equals(node)) {
      return;
    }
    Set<String> users = version.get().pool().users();
    Optional<String> next = users.stream().filter(peers::isReachable).findFirst();
    if (next.isPresent() && !users.contains(node)) {
      optimize(blob, next.get());
    }
  }

  /**
   * Withdraws a cookie on a node; see {@link #detach(Blob, String)}.
   *
   * @param blob its name
   * @param on the node
   * @param cookie of the attachment
   * @throws StorageException as {@link #detach(Blob, String)}; UNREACHABLE when the node does not
   *     answer
   */
  public void detach(Blob blob, String on, String cookie) throws StorageException {
    if (on.equals(node)) {
      detach(blob, cookie);
    } else {
      peers.perform(on, BlobCall.of(BlobCall.Kind.DETACH, blob, cookie));
    }
  }

  /**
   * Moves the pool of a blob to a node, while it is in use: requests on all nodes wait until it is
   * active there, and none fails. Succeeds without effect when it is active there, when nothing has
   * it attached, and for a linear blob.
   *
   * @param blob its name
   * @param on the node
   * @throws StorageException UNREACHABLE when the node does not answer; BUSY naming the node that
   *     holds the pool's lock, or that is waited for. The pool then is where it was, or a repeated
   *     call completes the move
   */
  public void optimize(Blob blob, String on) throws StorageException {
    SharedGroup group = scene(blob.group());
    String pool = group.poolOf(blob);
    new PoolMove(group, driver(group, pool), peers, node, pool).to(on);
  }

  /**
   * Moves a pool to this node, as {@link #optimize} does, when it was created for this blob. A pool
   * that was created for another blob, of which this one is a copy, stays where it is.
   *
   * @param blob its name
   * @throws StorageException as {@link #optimize}
   */
  public void bring(Blob blob) throws StorageException {
    if (scene(blob.group()).poolOf(blob).equals(blob.name())) {
      optimize(blob, node);
    }
  }

  /**
   * Withdraws the attachments of a pool on a node that is lost, and refuses what that node still
   * sends. Afterwards the pool is active on this node.
   *
   * @param blob whose pool it is
   * @param lost the node
   * @throws StorageException BUSY when the node answers, or while the lock of the pool is held and
   *     this node does not hold it
   */
  public void evict(Blob blob, String lost) throws StorageException {
    calls(scene(blob.group())).evict(blob, lost);
  }

  /**
   * Ends the attachments that other nodes have under a cookie, so that this node may be the only
   * one. A node that answers ends it unless its user is still there. One that does not answer is
   * evicted.
   *
   * @param blob its name
   * @param cookie of the attachments
   * @throws StorageException BUSY naming the node that uses it, or the holder of the lock; as
   *     {@link #evict}
   */
  public void takeOver(Blob blob, String cookie) throws StorageException {
    for (String other : nodes(blob, cookie)) {
      if (other.equals(node)) {
        continue;
      }
      if (peers.isReachable(other)) {
        peers.perform(other, BlobCall.of(BlobCall.Kind.ABANDON, blob, cookie));
      } else {
        evict(blob, other);
      }
    }
  }

  /**
   * Returns the node on which the pool of a blob is active; empty while none is, while the pool
   * moves, and for a linear blob.
   *
   * @param blob its name
   * @throws StorageException as every call
   */
  public Optional<String> activeNode(Blob blob) throws StorageException {
    GroupView view = reports.recent(blob.group());
    return seen(view).activeNode(blob, view);
  }

  /**
   * Returns the nodes on which a blob is attached under a cookie.
   *
   * @param blob its name
   * @param cookie of the attachments
   * @throws StorageException as every call
   */
  public Set<String> nodes(Blob blob, String cookie) throws StorageException {
    return scene(blob.group()).nodes(blob, cookie);
  }

  @Override
  public void recover(String name) throws StorageException {
    SharedGroup group = scene(name);
    group.forEachPool(version -> recover(group, version.pool()));
  }

  private void recover(SharedGroup group, PoolRecord pool) throws StorageException {
    for (Attachment attachment : pool.attachments()) {
      if (attachment.leaving() && attachment.node().equals(node)) {
        detach(new Blob(group.name(), attachment.blob()), attachment.cookie());
      }
    }
    PoolMemory memory = memory(group, pool.id());
    synchronized (memory) {
      PoolJournal journal = new PoolJournal(group.records(), group.name(), node, pool.id(), true);
      if (journal.exists() && journal.pool().place().activeOn().equals(node)) {
        new PoolCompletion(journal, group.steps()).completeBlobs();
      }
    }
    attachments(group, new Blob(group.name(), pool.id())).connectLinear();
    PoolStep step = pass(group, pool.id());
    if (step.kind() == PoolStep.Kind.WAIT) {
      driver(group, pool.id()).untilConnected();
    }
  }

  @Override
  public void keepLinks(String name) throws StorageException {
    SharedGroup seen = seen(reports.known(name));
    StorageException failure = null;
    for (String pool : seen.due(node, id -> memory(seen, id))) {
      try {
        driver(scene(name), pool).untilConnected();
      } catch (StorageException e) {
        failure = LocalBlobManager.first(failure, e);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** The pool moves to this node, because only the active node can read its metadata. */
  @Override
  public void changes(Optional<Blob> older, Blob newer, ExtentVisitor visitor)
      throws StorageException {
    SharedGroup group = scene(newer.group());
    String pool = group.poolOf(newer);
    optimize(newer, node);
    PoolMemory memory = memory(group, pool);
    synchronized (memory) {
      if (!calls(group).claimed(pool)) {
        throw new StorageException(
            ErrorCode.BUSY, "pool " + group.name() + "/" + pool + " is being moved: try again");
      }
      PoolJournal journal = new PoolJournal(group.records(), group.name(), node, pool, true);
      new PoolCall(journal, group.steps()).changes(older, newer, visitor);
      PoolStep unused = group.pass().run(pool, memory);
    }
  }

  @Override
  public List<PoolSpace> keepSpace(String name) throws StorageException {
    Optional<GroupView> view = spaces.look(name);
    GroupView known = view.isPresent() ? view.get() : reports.known(name);
    GroupInfo info = GroupRules.whole(host, known.group());
    List<PoolSpace> found = view.isPresent() ? spaces.keep(known) : spaces.spaces(name);
    shortages.tell(info.uuid(), spaces.waits(name));
    return found;
  }

  @Override
  public List<PoolWait> waits(String name) throws StorageException {
    List<PoolWait> waits = new ArrayList<>(spaces.waits(name));
    SharedGroup group = seen(reports.known(name));
    PoolWaits.Holders holders =
        pool -> reports.recentHolder(name, pool.id(), () -> group.pass().holder(pool));
    waits.addAll(
        new PoolWaits(group, peers, node, shortages, pool -> memory(group, pool).devices(), holders)
            .find());
    return waits;
  }

  @Override
  public Optional<BlobInfo> find(Blob blob) throws StorageException {
    GroupView view = reports.recent(blob.group());
    return seen(view)
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
