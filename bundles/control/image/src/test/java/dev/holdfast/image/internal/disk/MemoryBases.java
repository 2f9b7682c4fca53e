package dev.holdfast.image.internal.disk;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.engine.BaseContent;
import dev.holdfast.engine.BaseEngine;
import dev.holdfast.engine.BaseInfo;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.engine.BaseWriter;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** An engine without files: bases in memory, and the bases of its replicas. */
public final class MemoryBases implements BaseEngine {
  private final Map<String, Base> bases = new ConcurrentHashMap<>();
  private final Map<String, String> replicas = new ConcurrentHashMap<>();

  /** Whether a base of a replica is kept; planted faults disable this. */
  public boolean asksReplicas = true;

  private static final class Base {
    private final BaseLocation place;
    private final MemoryBlockDevice device;
    private final long[] filled;
    private final BitSet durable = new BitSet();
    private volatile String checksum = "";

    Base(BaseLocation place, int size) {
      this.place = place;
      this.device = new MemoryBlockDevice(size);
      this.filled = new long[(int) ((size - 1) / BaseWriter.REGION_BYTES) + 1];
    }

    /** Records a write, and checks that each byte is written once. */
    private synchronized void wrote(long offset, long length) {
      long end = offset + length;
      for (long at = offset; at < end; ) {
        int region = (int) (at / BaseWriter.REGION_BYTES);
        long next = Math.min(end, (region + 1) * BaseWriter.REGION_BYTES);
        filled[region] += next - at;
        at = next;
      }
    }

    private synchronized void flushed() {
      for (int region = 0; region < filled.length; region++) {
        long start = region * BaseWriter.REGION_BYTES;
        if (filled[region] >= Math.min(BaseWriter.REGION_BYTES, device.size() - start)) {
          durable.set(region);
        } else {
          filled[region] = 0;
        }
      }
    }

    private synchronized BitSet durable() {
      return (BitSet) durable.clone();
    }
  }

  private static String key(BaseLocation base) {
    return base.disk().path() + "/" + base.image() + "-" + base.uuid();
  }

  public Optional<BlockDevice> content(String image) {
    return bases.values().stream()
        .filter(base -> base.place.image().equals(image))
        .map(base -> (BlockDevice) base.device)
        .findFirst();
  }

  public int count(String image) {
    return (int) bases.values().stream().filter(b -> b.place.image().equals(image)).count();
  }

  @Override
  public String name() {
    return "fake";
  }

  @Override
  public Set<EngineCapability> capabilities() {
    return Set.of(EngineCapability.BASES);
  }

  @Override
  public List<BaseLocation> bases(DiskLocation disk) {
    return bases.values().stream()
        .map(base -> base.place)
        .filter(place -> place.disk().path().equals(disk.path()))
        .toList();
  }

  @Override
  public Optional<BaseInfo> inspectBase(BaseLocation base) {
    return Optional.ofNullable(bases.get(key(base)))
        .map(
            found ->
                new BaseInfo(
                    !found.checksum.isEmpty(),
                    false,
                    found.device.size(),
                    found.device.size(),
                    found.checksum));
  }

  @Override
  public BaseWriter createBase(BaseLocation base, long sizeBytes) throws StorageException {
    Base made = bases.computeIfAbsent(key(base), key -> new Base(base, (int) sizeBytes));
    if (!made.checksum.isEmpty()) {
      throw new StorageException(ErrorCode.CONFLICT, "base " + base.image() + " is sealed");
    }
    return new MemoryWriter(made);
  }

  /** Writer whose flush makes complete regions durable. Incomplete regions are written again. */
  private record MemoryWriter(Base base) implements BaseWriter {
    @Override
    public BlockDevice device() {
      return new ForwardingBlockDevice(base.device) {
        @Override
        public void write(long offset, ByteBuffer source, int flags, Completion completion) {
          base.wrote(offset, source.remaining());
          super.write(offset, source, flags, completion);
        }

        @Override
        public void writeZeroes(long offset, long length, int flags, Completion completion) {
          base.wrote(offset, length);
          super.writeZeroes(offset, length, flags, completion);
        }

        @Override
        public void flush(Completion completion) {
          base.flushed();
          super.flush(completion);
        }
      };
    }

    @Override
    public BitSet written() {
      return base.durable();
    }

    @Override
    public void seal(String contentChecksum) {
      base.checksum = contentChecksum;
    }

    @Override
    public void close() {
      // Holds no resources.
    }
  }

  @Override
  public BlockDevice openBase(BaseLocation base) throws StorageException {
    Base found = bases.get(key(base));
    if (found == null || found.checksum.isEmpty()) {
      throw new StorageException(ErrorCode.NOT_FOUND, "base " + base.image() + " is not sealed");
    } else if (!base.contentChecksum().isEmpty()
        && !base.contentChecksum().equals(found.checksum)) {
      throw new StorageException(
          ErrorCode.INVALID, "base " + base.image() + " has the checksum " + found.checksum);
    }
    return new ForwardingBlockDevice(found.device) {
      @Override
      public void close() {
        // The base stays.
      }
    };
  }

  @Override
  public void confirmBase(BaseLocation base) {
    // Bases in memory never change, so a confirmation has no effect.
  }

  @Override
  public void deleteBase(BaseLocation base) throws StorageException {
    if (asksReplicas && replicas.containsValue(key(base))) {
      throw new StorageException(
          ErrorCode.BUSY, "base " + base.image() + ": a replica stands on it");
    }
    bases.remove(key(base));
  }

  @Override
  public void provisionReplica(ReplicaRequest request) throws StorageException {
    BaseContent content = (BaseContent) request.content();
    Base found = bases.get(key(content.base()));
    if (found == null || !found.checksum.equals(content.base().contentChecksum())) {
      throw new StorageException(ErrorCode.NOT_FOUND, "base " + content.base().image());
    }
    replicas.put(request.location().replica(), key(content.base()));
  }

  @Override
  public void provisionReplica(ReplicaLocation replica, long sizeBytes) throws StorageException {
    throw new StorageException(ErrorCode.UNSUPPORTED, "every replica has a base here");
  }

  @Override
  public void deleteReplica(ReplicaLocation replica) {
    replicas.remove(replica.replica());
  }

  @Override
  public Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) {
    return Optional.empty();
  }

  @Override
  public OpenVolume open(OpenRequest request) throws StorageException {
    throw new StorageException(ErrorCode.UNSUPPORTED, "volumes are not opened here");
  }
}
