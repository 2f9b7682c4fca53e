package dev.holdfast.engine.sparse.internal.volume;

import com.google.protobuf.ByteString;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.sparse.internal.replica.ExtentMessages;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.ReplicaMessages;
import dev.holdfast.engine.sparse.rpc.ExtentList;
import dev.holdfast.engine.sparse.rpc.LayerEntry;
import dev.holdfast.engine.sparse.rpc.LayerReply;
import dev.holdfast.engine.sparse.rpc.LayerRequest;
import dev.holdfast.engine.sparse.rpc.LayerRequest.Kind;
import dev.holdfast.error.StorageException;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The layers of a local or remote replica, as used by the copying of layers. Blocks. */
public record LayerAccess(Member member) {
  // Limits the size of one reply, however scattered the data is.
  private static final long EXTENTS_AT_ONCE = 1L << 30;

  private static LayerRequest.Builder ask(Kind kind) {
    return LayerRequest.newBuilder().setKind(kind);
  }

  private static LayerRequest.Builder ask(Kind kind, String image) {
    return ask(kind).setImage(image);
  }

  private static LayerRequest.Builder ask(Kind kind, String image, long offset, long length) {
    return ask(kind, image).setOffset(offset).setLength(length);
  }

  private LayerReply send(LayerRequest.Builder request) throws StorageException {
    return member.layer(request.build());
  }

  public List<LayerEntry> list() throws StorageException {
    return send(ask(Kind.LIST)).getLayersList();
  }

  /** Returns the layer directly below the head, empty when none exists. */
  public String headParent() throws StorageException {
    return send(ask(Kind.LIST)).getHeadParent();
  }

  /** Visits a part of a layer, up to the end of the layer at most. */
  public void extents(String image, long offset, long length, ExtentVisitor visitor)
      throws StorageException {
    for (long at = offset; at < offset + length; at += EXTENTS_AT_ONCE) {
      long count = Math.min(EXTENTS_AT_ONCE, offset + length - at);
      ExtentList list = send(ask(Kind.EXTENTS, image, at, count)).getExtents();
      if (list.getLengthsCount() == 0 || !ExtentMessages.visit(list, visitor)) {
        return;
      }
    }
  }

  /** Returns how many bytes of a part of a layer contain data. */
  public long data(String image, long offset, long length) throws StorageException {
    long[] data = new long[1];
    extents(
        image,
        offset,
        length,
        (at, count, kind) -> {
          data[0] += kind == ExtentKind.DATA ? count : 0;
          return true;
        });
    return data[0];
  }

  public ByteString read(String image, long offset, long length) throws StorageException {
    return send(ask(Kind.READ, image, offset, length)).getData();
  }

  public String checksum(String image, long offset, long length) throws StorageException {
    return send(ask(Kind.CHECKSUM, image, offset, length)).getChecksum();
  }

  /** Returns the checksums of regions from the offset on, at least one. */
  public ByteString regionSums(String image, long offset, long length) throws StorageException {
    return send(ask(Kind.REGION_SUMS, image, offset, length)).getData();
  }

  /** Returns the stored checksums of a layer's regions; empty when none are stored. */
  public ByteString keptSums(String image) throws StorageException {
    return send(ask(Kind.KEPT_SUMS, image)).getData();
  }

  /** Stores the checksums of all regions of a layer. */
  public void keepSums(String image, ByteString sums) throws StorageException {
    send(ask(Kind.KEEP_SUMS, image).setData(sums));
  }

  /** Replaces a damaged part of a layer. */
  public void repair(String image, long offset, ByteString right) throws StorageException {
    send(ask(Kind.REPAIR, image).setOffset(offset).setData(right));
  }

  /** Makes a part of a layer a hole again. */
  public void repairHole(String image, long offset, long length) throws StorageException {
    send(ask(Kind.REPAIR, image, offset, length));
  }

  /** Restores the length of a truncated layer. */
  public void repairSize(String image, long size) throws StorageException {
    send(ask(Kind.REPAIR, image).setOffset(size));
  }

  public void remember(String image, String checksum) throws StorageException {
    send(ask(Kind.REMEMBER, image).setData(ByteString.copyFromUtf8(checksum)));
  }

  public void join(List<String> names, long size) throws StorageException {
    send(ask(Kind.JOIN).addAllNames(names).setLength(size));
  }

  public void begin(String image, long size) throws StorageException {
    send(ask(Kind.BEGIN, image).setLength(size));
  }

  public void punch(String image, long offset, long length) throws StorageException {
    send(ask(Kind.PUNCH, image, offset, length));
  }

  /** Makes a layer durable, then stores metadata equal to another replica's. */
  public void complete(LayerEntry like) throws StorageException {
    send(ask(Kind.COMPLETE, like.getImage()).setMeta(like.getMeta()));
  }

  public void discard(String image) throws StorageException {
    send(ask(Kind.DISCARD, image));
  }

  public void finish() throws StorageException {
    send(ask(Kind.FINISH));
  }

  /** Returns the regions that absent replicas miss, by identity. */
  public Map<String, BitSet> missed() throws StorageException {
    Map<String, BitSet> missed = new TreeMap<>();
    for (var absent : send(ask(Kind.MISSED)).getMissedMap().entrySet()) {
      missed.put(absent.getKey(), ReplicaMessages.regions(absent.getValue()));
    }
    return missed;
  }

  public void replaceMissed(Map<String, BitSet> missed) throws StorageException {
    LayerRequest.Builder request = ask(Kind.REPLACE_MISSED);
    missed.forEach((id, regions) -> request.putMissed(id, ReplicaMessages.regions(regions)));
    send(request);
  }

  public void forgetMissed(String id) throws StorageException {
    send(ask(Kind.FORGET_MISSED).addNames(id));
  }
}
