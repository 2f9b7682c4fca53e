package dev.holdfast.engine.sparse.internal.replica;

import com.google.protobuf.ByteString;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.sparse.rpc.ExtentList;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.function.Consumer;

/** Collects extents into messages of limited size. */
public final class ExtentMessages implements ExtentVisitor {
  private static final int MOST = 8192;
  private static final ExtentKind[] KINDS = {ExtentKind.DATA, ExtentKind.ZERO, ExtentKind.HOLE};

  private final Consumer<ExtentList> sink;
  private final byte[] kinds = new byte[MOST];
  private ExtentList.Builder list = ExtentList.newBuilder();
  private int count;

  public ExtentMessages(Consumer<ExtentList> sink) {
    this.sink = sink;
  }

  @Override
  public boolean extent(long offset, long length, ExtentKind kind) {
    if (count == 0) {
      list.setOffset(offset);
    }
    list.addLengths(length);
    kinds[count++] =
        switch (kind) {
          case DATA -> 0;
          case ZERO -> 1;
          case HOLE -> 2;
        };
    if (count == MOST) {
      finish();
    }
    return true;
  }

  /** Passes the remaining extents to the receiver. */
  public void finish() {
    if (count > 0) {
      sink.accept(list.setKinds(ByteString.copyFrom(kinds, 0, count)).build());
      list = ExtentList.newBuilder();
      count = 0;
    }
  }

  /** Passes a message's extents to a visitor. Returns false when the visitor wants no more. */
  public static boolean visit(ExtentList list, ExtentVisitor visitor) throws StorageException {
    if (list.getKinds().size() != list.getLengthsCount()) {
      throw new StorageException(ErrorCode.INVALID, "extents: as many kinds as lengths are needed");
    }
    long offset = list.getOffset();
    for (int i = 0; i < list.getLengthsCount(); i++) {
      int kind = list.getKinds().byteAt(i);
      if (kind < 0 || kind >= KINDS.length || list.getLengths(i) <= 0) {
        throw new StorageException(ErrorCode.INVALID, "extents: there is no kind " + kind);
      }
      if (!visitor.extent(offset, list.getLengths(i), KINDS[kind])) {
        return false;
      }
      offset += list.getLengths(i);
    }
    return true;
  }
}
