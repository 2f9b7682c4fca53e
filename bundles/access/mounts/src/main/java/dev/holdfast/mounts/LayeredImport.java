package dev.holdfast.mounts;

import dev.holdfast.certificates.files.MemberCredential;
import dev.holdfast.client.Attachments;
import dev.holdfast.client.Snapshots;
import dev.holdfast.client.StoreEditor;
import dev.holdfast.client.VolumeRequest;
import dev.holdfast.client.Waiting;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.LocalEndpoints;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceStore;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Creates a volume of any engine with snapshots from a replica directory of Longhorn v1 or
 * Holdfast, on a host with the directory and a node. Each layer is written through the volume, so
 * that all replicas are equal. Then its snapshot is taken with the original time and labels.
 *
 * <pre>
 *   volume's resource -> attached -> layer written, flushed -> snapshot -> next layer -> live content
 * </pre>
 *
 * <p>After an interruption, the same call continues with the first layer without a snapshot.
 */
public final class LayeredImport {
  private static final String SOCKET = "socket=";

  private final ResourceStore store;
  private final StoreEditor editor;
  private final Snapshots snapshots;
  private final Path data;

  /**
   * Creates the import into volumes of a store.
   *
   * @param data state directory of the node of this host
   */
  public LayeredImport(ResourceStore store, Clock clock, Path data) {
    this.store = store;
    this.editor = new StoreEditor(store);
    this.snapshots = new Snapshots(store, clock);
    this.data = data;
  }

  /**
   * Imports a replica.
   *
   * @param request the volume with the size of the replica, and with its frontend, empty for nbd
   * @param source the replica, which is not changed
   * @param waiting wait for each step; copies have no time limit
   * @throws StorageException INVALID without waiting; UNSUPPORTED when the replica uses a backing
   *     file or was reverted, when the engine has no snapshots, or when the node that serves the
   *     volume is not on this host; ALREADY_EXISTS when the volume exists and is not an unfinished
   *     import; NO_SPACE; TIMEOUT; IO
   */
  public Volume run(VolumeRequest request, LonghornReplica source, Waiting waiting)
      throws StorageException {
    String name = request.name();
    if (!waiting.isWanted()) {
      throw new StorageException(
          ErrorCode.INVALID, "volume " + name + ": the import must be waited for");
    }
    if (!source.backingFile().isEmpty()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          source.directory()
              + ": is based on the backing file "
              + source.backingFile()
              + ": import it with the engine sparse and --image");
    }
    ImportedLayers chain = ImportedLayers.of(source);
    LayerCopy copy = new LayerCopy();
    Optional<Volume> present = store.get(Volume.KIND, name);
    LonghornImport.requireNew(name, source, present);
    Volume wanted = request.withSize(new Quantity(source.sizeBytes()).toString()).toVolume();
    requireSameEngine(wanted, present);
    if (present.isEmpty()) {
      var unused =
          store.create(
              Images.annotated(
                  wanted.withSpec(wanted.spec().withFrontend("nbd")),
                  Optional.of(source.directory().toString())));
    }
    fill(name, chain, copy, waiting);
    return editor.edit(Volume.KIND, name, v -> finished(v, request.frontend()));
  }

  private static void requireSameEngine(Volume wanted, Optional<Volume> present)
      throws StorageException {
    String engine = present.orElse(wanted).spec().dataEngine();
    if (!engine.equals(wanted.spec().dataEngine())) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume "
              + wanted.name()
              + ": its import began with the engine "
              + engine
              + ": delete it, or import with --engine "
              + engine);
    }
  }

  private static Volume finished(Volume volume, Optional<String> frontend) {
    Volume done = Images.annotated(volume, Optional.empty());
    return frontend.isEmpty() ? done : done.withSpec(done.spec().withFrontend(frontend.get()));
  }

  private void fill(String name, ImportedLayers chain, LayerCopy copy, Waiting waiting)
      throws StorageException {
    Attachments attachments = new Attachments(store);
    String ticket = "api-import-" + UUID.randomUUID();
    Optional<String> node = MemberCredential.nodeOf(data);
    try {
      Volume attached = attachments.attachFor(name, ticket, node, waiting);
      int layers = chain.layers().size();
      for (int i = taken(name, chain.layers(), waiting); i < layers; i++) {
        ReplicaLayer layer = chain.layers().get(i);
        waiting.progress().accept("volume " + name + ": copies layer " + (i + 1) + " of " + layers);
        try (NbdWriter target = writer(attached)) {
          copy.run(layer.file(), target);
        } catch (IOException e) {
          throw StorageException.io("volume " + name, e);
        }
        if (layer.isSnapshot()) {
          await(store.create(snapshot(name, layer)), waiting);
        }
      }
    } finally {
      attachments.releaseTicket(name, ticket, waiting);
    }
  }

  /** Returns the number of layers with a snapshot; they are durable. */
  private int taken(String name, List<ReplicaLayer> layers, Waiting waiting)
      throws StorageException {
    int taken = 0;
    for (int i = 0; i < layers.size(); i++) {
      Optional<Snapshot> present =
          layers.get(i).isSnapshot()
              ? store.get(Snapshot.KIND, Snapshot.nameFor(name, layers.get(i).snapshot()))
              : Optional.empty();
      if (present.isPresent()) {
        await(present.get(), waiting);
        taken = i + 1;
      }
    }
    return taken;
  }

  private void await(Snapshot snapshot, Waiting waiting) throws StorageException {
    var unused =
        snapshots.await(
            snapshot, waiting, s -> Optional.of(s).filter(one -> one.status().readyToUse()));
  }

  private static Snapshot snapshot(String volume, ReplicaLayer layer) {
    Snapshot plain =
        Snapshot.of(
            Snapshot.nameFor(volume, layer.snapshot()),
            SnapshotSpec.EMPTY
                .withVolume(volume)
                .withSnapshotName(layer.snapshot())
                .withLabels(layer.labels()));
    return plain.withMetadata(
        plain
            .metadata()
            .withAnnotations(Map.of(Snapshot.CREATED_ANNOTATION, layer.created().toString())));
  }

  private NbdWriter writer(Volume attached) throws StorageException, IOException {
    URI endpoint = new LocalEndpoints(data).of(URI.create(attached.status().endpoint()));
    String query = String.valueOf(endpoint.getQuery());
    if (!endpoint.getScheme().equals("nbd+unix") || !query.startsWith(SOCKET)) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume "
              + attached.name()
              + ": is served at "
              + endpoint
              + ", not by a node of this host: run the command on a node, as its user");
    }
    return NbdWriter.open(
        Path.of(query.substring(SOCKET.length())), endpoint.getPath().substring(1));
  }
}
