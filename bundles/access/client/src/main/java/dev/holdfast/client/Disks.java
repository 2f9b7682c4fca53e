package dev.holdfast.client;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.DiskType;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Adds, removes and returns disks. Thread-safe. */
public final class Disks {
  private final ResourceStore store;
  private final StoreEditor editor;

  /** Manages the nodes of a store. */
  public Disks(ResourceStore store) {
    this.store = store;
    this.editor = new StoreEditor(store);
  }

  /**
   * Request to add a disk.
   *
   * @param path absolute path of its directory, device or volume group on the node
   * @param node node of the disk; empty for the only node
   * @param id identifier of the disk; empty to derive it from the path
   * @param tags tags for the diskSelector of volumes
   * @param create whether the node creates the directory; otherwise it must exist
   * @param type kind of the disk
   */
  public record Request(
      Path path,
      Optional<String> node,
      Optional<String> id,
      List<String> tags,
      boolean create,
      DiskType type) {
    /** Creates the request for a disk whose directory exists. */
    public Request(Path path, Optional<String> node, Optional<String> id, List<String> tags) {
      this(path, node, id, tags, false, DiskType.DIRECTORY);
    }
  }

  /** Returns all disks by node and identifier. */
  public List<Disk> list() throws StorageException {
    List<Replica> replicas = store.list(Replica.KIND, LabelSelector.ALL).items();
    List<DeletedVolume> deleted = new DeletedVolumes(store).readable();
    List<Disk> disks = new ArrayList<>();
    for (Node node : nodes()) {
      for (String id : node.spec().disks().keySet().stream().sorted().toList()) {
        disks.add(disk(node, id, replicas, deleted));
      }
    }
    return disks;
  }

  private static Disk disk(
      Node node, String id, List<Replica> replicas, List<DeletedVolume> deleted) {
    List<Replica> onIt =
        replicas.stream().filter(r -> r.diskOn(node).filter(id::equals).isPresent()).toList();
    return new Disk(
        node.name(),
        id,
        node.spec().disks().get(id),
        node.status().diskStatus().getOrDefault(id, DiskStatus.EMPTY),
        onIt.stream().map(Replica::name).toList(),
        new Quantity(deleted.stream().mapToLong(volume -> volume.spaceOn(onIt).bytes()).sum()));
  }

  private static Disk empty(Node node, String id) {
    return disk(node, id, List.of(), List.of());
  }

  /**
   * Adds a disk; with waiting, until its node uses it. First waits while a node still reports a
   * former disk of this name, because its report would describe that disk.
   *
   * @throws StorageException INVALID when the path is not absolute; ALREADY_EXISTS; NOT_FOUND for
   *     the node; IO when the node cannot use the directory. A disk that the node never saw is then
   *     not added, and another one remains listed with the reason. TIMEOUT, also when the node
   *     still reports a former disk, and then the disk is not added
   */
  public Disk add(Request request, Waiting waiting) throws StorageException {
    requireAbsolute(request.path());
    String nodeName = request.node().isPresent() ? request.node().get() : onlyNode();
    Path path = request.path().normalize();
    String id = request.id().orElseGet(() -> idFor(path));
    DiskSpec spec =
        DiskSpec.EMPTY
            .withPath(path.toString())
            .withTags(request.tags())
            .withCreate(request.create())
            .withType(request.type());
    StoreEditor.Edit<Node> edit = n -> withDisk(n, id, spec);
    if (!waiting.isWanted()) {
      return empty(editor.edit(Node.KIND, nodeName, edit), id);
    }
    try (ResourceWait observation = new ResourceWait(store)) {
      var follower = observation.follow(Node.KIND, nodeName);
      awaitForgotten(observation, follower, nodeName, id, waiting);
      editor.edit(Node.KIND, nodeName, edit);
      return observation.await(
          "disk " + id + " of " + nodeName,
          waiting,
          () -> taken(follower.latest(), id),
          () -> "node " + nodeName + " has not checked it yet");
    }
  }

  private static void awaitForgotten(
      ResourceWait observation,
      ResourceWait.Follower<Node> follower,
      String nodeName,
      String id,
      Waiting waiting)
      throws StorageException {
    String what = "disk " + id + " of " + nodeName;
    String reason = "node " + nodeName + " still reports a former disk of this name";
    try {
      observation.await(
          what,
          waiting,
          () ->
              follower.latest().filter(node -> reportsFormer(node, id)).isPresent()
                  ? Optional.empty()
                  : Optional.of(true),
          () -> reason);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.TIMEOUT) {
        throw e;
      }
      throw new StorageException(
          ErrorCode.TIMEOUT,
          what
              + " is not added: the node still reports a former disk of this name; see whether it"
              + " runs with 'holdfast node list', then try again",
          e);
    }
  }

  private static boolean reportsFormer(Node node, String id) {
    return node.status().diskStatus().containsKey(id) && !node.spec().disks().containsKey(id);
  }

  /**
   * Rejects a relative path, which would denote another directory on the node than for the caller.
   */
  private static void requireAbsolute(Path path) throws StorageException {
    if (!path.isAbsolute()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "disk add "
              + path
              + ": the path must be absolute, because it is a path on the node: give it as /PATH");
    }
  }

  private static Node withDisk(Node node, String id, DiskSpec spec) throws StorageException {
    for (Map.Entry<String, DiskSpec> present : node.spec().disks().entrySet()) {
      boolean samePath = present.getValue().path().equals(spec.path());
      if (samePath || present.getKey().equals(id)) {
        throw new StorageException(
            ErrorCode.ALREADY_EXISTS,
            "disk "
                + present.getKey()
                + " of "
                + node.name()
                + " is at "
                + present.getValue().path()
                + " already"
                + (samePath ? "" : "; give the new one another name with --name"));
      }
    }
    Map<String, DiskSpec> disks = new LinkedHashMap<>(node.spec().disks());
    disks.put(id, spec);
    return node.withSpec(node.spec().withDisks(disks));
  }

  private Optional<Disk> taken(Optional<Node> node, String id) throws StorageException {
    Optional<Condition> ready =
        node.map(n -> n.status().diskStatus().get(id))
            .flatMap(status -> Condition.find(status.conditions(), Condition.READY))
            .filter(condition -> condition.status() != Condition.Status.UNKNOWN);
    if (ready.isPresent() && ready.get().status() == Condition.Status.FALSE) {
      if (node.get().status().diskStatus().get(id).diskUUID().isEmpty()) {
        editor.edit(Node.KIND, node.get().name(), n -> withoutDisk(n, id));
        throw new StorageException(
            ErrorCode.IO,
            "disk " + id + " of " + node.get().name() + " is not added: " + ready.get().message());
      }
      throw new StorageException(
          ErrorCode.IO,
          "disk " + id + " of " + node.get().name() + " is not ready: " + ready.get().message());
    }
    return ready.map(condition -> empty(node.get(), id));
  }

  /**
   * Removes a disk that has no replicas; its content remains unchanged. A disk that other nodes
   * have too may have replicas, because they remain reachable there.
   *
   * @param node node of the disk; empty for the only node with such a disk
   * @throws StorageException NOT_FOUND; BUSY when replicas are on it; INVALID when several nodes
   *     have such a disk
   */
  public Disk remove(String id, Optional<String> node) throws StorageException {
    String nodeName = carrier(id, node);
    Node before = editor.require(Node.KIND, nodeName);
    requireDisk(before, id);
    boolean wasSchedulable = before.spec().disks().get(id).allowScheduling();
    editor.edit(Node.KIND, nodeName, n -> schedulable(n, id, false));
    Disk disk = get(before, id);
    List<String> cutOff = replicasOnlyOn(before, id);
    if (!cutOff.isEmpty()) {
      editor.edit(Node.KIND, nodeName, n -> schedulable(n, id, wasSchedulable));
      throw new StorageException(
          ErrorCode.BUSY,
          "disk "
              + id
              + " of "
              + nodeName
              + " still has replicas: "
              + String.join(", ", cutOff)
              + "; delete their volumes first"
              + kept(cutOff));
    }
    editor.edit(Node.KIND, nodeName, n -> withoutDisk(n, id));
    return disk;
  }

  /** Returns the additional remedy for replicas of deleted volumes; empty if there are none. */
  private String kept(List<String> replicas) throws StorageException {
    List<String> volumes =
        store.list(Replica.KIND, LabelSelector.ALL).items().stream()
            .filter(replica -> replicas.contains(replica.name()))
            .map(replica -> replica.spec().volume())
            .toList();
    List<String> deleted =
        new DeletedVolumes(store)
            .readable().stream().map(DeletedVolume::name).filter(volumes::contains).toList();
    return deleted.isEmpty()
        ? ""
        : ", and remove the deleted volumes "
            + String.join(", ", deleted)
            + " with 'holdfast volume purge'";
  }

  /**
   * Returns the replicas on a disk that other nodes cannot reach. Excludes replicas that the
   * cluster no longer needs but cannot remove there.
   */
  private List<String> replicasOnlyOn(Node node, String id) throws StorageException {
    List<Node> others = nodes().stream().filter(n -> !n.name().equals(node.name())).toList();
    return store.list(Replica.KIND, LabelSelector.ALL).items().stream()
        .filter(r -> r.diskOn(node).filter(id::equals).isPresent())
        .filter(r -> others.stream().noneMatch(other -> r.diskOn(other).isPresent()))
        .filter(r -> !r.isRemovalBlocked())
        .map(Replica::name)
        .toList();
  }

  /** Stops new replicas between the check of the disk and its removal. */
  private static Node schedulable(Node node, String id, boolean allowed) {
    return changed(node, id, disk -> Optional.of(disk.withAllowScheduling(allowed)));
  }

  private static Node withoutDisk(Node node, String id) {
    return changed(node, id, disk -> Optional.empty());
  }

  static Node changed(
      Node node, String id, java.util.function.Function<DiskSpec, Optional<DiskSpec>> change) {
    Map<String, DiskSpec> disks = new LinkedHashMap<>(node.spec().disks());
    disks.computeIfPresent(id, (key, disk) -> change.apply(disk).orElse(null));
    return node.withSpec(node.spec().withDisks(disks));
  }

  static void requireDisk(Node node, String id) throws StorageException {
    if (!node.spec().disks().containsKey(id)) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "disk " + id + " of " + node.name() + " does not exist: see 'holdfast disk list'");
    }
  }

  /** Returns a disk of a node. */
  Disk get(String node, String id) throws StorageException {
    return get(editor.require(Node.KIND, node), id);
  }

  private Disk get(Node node, String id) throws StorageException {
    return disk(
        node,
        id,
        store.list(Replica.KIND, LabelSelector.ALL).items(),
        new DeletedVolumes(store).readable());
  }

  /** Returns the named node, or the only node with such a disk. */
  String carrier(String id, Optional<String> node) throws StorageException {
    return node.isPresent() ? node.get() : nodeWithDisk(id);
  }

  private String nodeWithDisk(String id) throws StorageException {
    List<String> having =
        nodes().stream()
            .filter(node -> node.spec().disks().containsKey(id))
            .map(Node::name)
            .toList();
    return only(having, "disk " + id);
  }

  private String onlyNode() throws StorageException {
    return only(nodes().stream().map(Node::name).toList(), "the disk's node");
  }

  private static String only(List<String> nodes, String what) throws StorageException {
    if (nodes.isEmpty()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND, what + " does not exist: see 'holdfast disk list' and 'node list'");
    }
    if (nodes.size() > 1) {
      throw new StorageException(
          ErrorCode.INVALID,
          what + " is not clear: name one of " + String.join(", ", nodes) + " with --node");
    }
    return nodes.get(0);
  }

  private List<Node> nodes() throws StorageException {
    return store.list(Node.KIND, LabelSelector.ALL).items();
  }

  private static String idFor(Path path) {
    String last = path.getFileName() == null ? "" : path.getFileName().toString();
    String id =
        last.toLowerCase(Locale.ROOT)
            .replaceAll("[^a-z0-9.-]+", "-")
            .replaceAll("\\.\\.+", ".")
            .replaceAll("^[^a-z0-9]+|[^a-z0-9]+$", "");
    return id.isEmpty() ? "disk" : id;
  }
}
