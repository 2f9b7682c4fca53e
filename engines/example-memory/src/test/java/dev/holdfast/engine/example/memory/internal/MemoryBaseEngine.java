package dev.holdfast.engine.example.memory.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.engine.BaseContent;
import dev.holdfast.engine.BaseEngine;
import dev.holdfast.engine.BaseInfo;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.engine.BaseWriter;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EmptyContent;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaRequest;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The example engine with bases: an engine that keeps none of them as files. A base and the content
 * of a replica are volumes of the example engine.
 */
final class MemoryBaseEngine implements BaseEngine {
  /** A planted mistake. */
  enum Mistake {
    NONE,
    SHOWS_THE_BASE_AFTER_A_TRIM,
    FREES_THE_BASE_OF_A_REPLICA
  }

  private static final int PAGE = 4096;

  private final Mistake mistake;
  private final MemoryEngine engine = new MemoryEngine();
  // Guarded by this; by places without a checksum, and by the directories of replicas.
  private final Map<BaseLocation, MemoryBase> bases = new HashMap<>();
  private final Map<Path, BaseLocation> standing = new HashMap<>();
  private final Map<Path, BitSet> pages = new HashMap<>();
  private int made;

  MemoryBaseEngine(Mistake mistake) {
    this.mistake = mistake;
  }

  @Override
  public String name() {
    return "memory-bases";
  }

  @Override
  public Set<EngineCapability> capabilities() {
    return Set.of(EngineCapability.BASES);
  }

  private static BaseLocation key(BaseLocation base) {
    return base.withContentChecksum("");
  }

  private MemoryBase sealed(BaseLocation base) throws StorageException {
    MemoryBase found = bases.get(key(base));
    if (found == null || found.checksum().isEmpty()) {
      throw new StorageException(ErrorCode.NOT_FOUND, base.image() + " is not complete");
    }
    if (!base.contentChecksum().isEmpty() && !base.contentChecksum().equals(found.checksum())) {
      throw new StorageException(ErrorCode.INVALID, base.image() + " has another content");
    }
    return found;
  }

  @Override
  public synchronized List<BaseLocation> bases(DiskLocation disk) {
    return bases.keySet().stream().filter(base -> base.disk().equals(disk)).toList();
  }

  @Override
  public synchronized Optional<BaseInfo> inspectBase(BaseLocation base) {
    return Optional.ofNullable(bases.get(key(base))).map(found -> found.info(stored(found)));
  }

  private static long stored(MemoryBase base) {
    long[] stored = {0};
    BlockDevice content = base.content();
    content.extents(
        0,
        content.size(),
        (offset, length, kind) -> {
          stored[0] += kind == ExtentKind.DATA ? length : 0;
          return true;
        },
        failure -> {});
    return stored[0];
  }

  @Override
  public synchronized BaseWriter createBase(BaseLocation base, long sizeBytes)
      throws StorageException {
    if (sizeBytes <= 0 || sizeBytes % PAGE != 0) {
      throw new StorageException(ErrorCode.INVALID, base.image() + ": sizeBytes: " + sizeBytes);
    }
    MemoryBase present = bases.get(key(base));
    boolean another =
        present != null && present.checksum().isEmpty() && present.content().size() != sizeBytes;
    if (present == null || another) {
      present = new MemoryBase(base.image(), volume("base-" + ++made, sizeBytes).device());
      bases.put(key(base), present);
    }
    return present.write();
  }

  private OpenVolume volume(String name, long sizeBytes) throws StorageException {
    ReplicaLocation at = new ReplicaLocation(name, name, "n", Path.of("/bases"), name);
    engine.provisionReplica(at, sizeBytes);
    return engine.open(
        new OpenRequest(
            name, sizeBytes, "n", List.of(at), new InMemoryRegister(), new RecordingListener()));
  }

  @Override
  public synchronized BlockDevice openBase(BaseLocation base) throws StorageException {
    return sealed(base).read();
  }

  @Override
  public synchronized void confirmBase(BaseLocation base) throws StorageException {
    var unused = sealed(base);
  }

  @Override
  public synchronized void deleteBase(BaseLocation base) throws StorageException {
    MemoryBase found = bases.get(key(base));
    boolean used =
        standing.containsValue(key(base)) && mistake != Mistake.FREES_THE_BASE_OF_A_REPLICA;
    if (found != null && (found.busy() || used)) {
      throw new StorageException(ErrorCode.BUSY, base.image() + " is in use");
    }
    bases.remove(key(base));
  }

  @Override
  public synchronized void provisionReplica(ReplicaRequest request) throws StorageException {
    Path at = request.location().directory();
    BaseLocation base = null;
    if (request.content() instanceof BaseContent content) {
      MemoryBase found = sealed(content.base());
      if (request.sizeBytes() < found.content().size()) {
        throw new StorageException(ErrorCode.INVALID, "the volume is smaller than its base");
      }
      base = key(content.base());
    }
    boolean present = engine.inspectReplica(request.location()).isPresent();
    if (present && !Objects.equals(base, standing.get(at))) {
      throw new StorageException(ErrorCode.INVALID, at + " holds a replica on another base");
    }
    engine.provisionReplica(request.location(), request.sizeBytes());
    if (base != null) {
      standing.put(at, base);
      pages.computeIfAbsent(at, key -> new BitSet());
    }
  }

  @Override
  public synchronized void provisionReplica(ReplicaLocation replica, long sizeBytes)
      throws StorageException {
    provisionReplica(new ReplicaRequest(replica, sizeBytes, new EmptyContent(), Map.of()));
  }

  @Override
  public synchronized void deleteReplica(ReplicaLocation replica) throws StorageException {
    engine.deleteReplica(replica);
    standing.remove(replica.directory());
    pages.remove(replica.directory());
  }

  @Override
  public synchronized Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) {
    return engine.inspectReplica(replica);
  }

  @Override
  public synchronized OpenVolume open(OpenRequest request) throws StorageException {
    OpenVolume own = engine.open(request);
    Path at = request.replicas().get(0).directory();
    if (!standing.containsKey(at)) {
      return new Opened(own, own.device());
    }
    BlockDevice base = bases.get(standing.get(at)).content();
    return new Opened(
        own,
        new BasedMemoryDevice(
            own.device(), base, pages.get(at), mistake != Mistake.SHOWS_THE_BASE_AFTER_A_TRIM));
  }

  /** A volume without the abilities of the example engine's. */
  private record Opened(OpenVolume volume, BlockDevice device) implements OpenVolume {
    @Override
    public Map<String, MemberMode> replicas() {
      return volume.replicas();
    }

    @Override
    public void close() throws StorageException {
      volume.close();
    }
  }
}
