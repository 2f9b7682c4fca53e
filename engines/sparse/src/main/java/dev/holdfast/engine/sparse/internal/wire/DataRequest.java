package dev.holdfast.engine.sparse.internal.wire;

import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.nbd.Wire;
import java.nio.ByteBuffer;

/** A reusable request to a replica. Guarded by its connection. */
final class DataRequest {
  final int index;
  private int round;
  int type;
  int flags;
  long offset;
  int length;
  int position;
  ByteBuffer buffer;
  MemberCompletion done;

  DataRequest(int index) {
    this.index = index;
  }

  /** Returns the cookie that the reply must carry; a late or forged reply has another one. */
  long cookie() {
    return ((long) round << Integer.SIZE) | index;
  }

  DataRequest begin(int kind, int with, long from, int bytes, MemberCompletion told) {
    round++;
    type = kind;
    flags = with;
    offset = from;
    length = bytes;
    done = told;
    return this;
  }

  DataRequest data(ByteBuffer bytes, int from) {
    buffer = bytes;
    position = from;
    return this;
  }

  void end() {
    buffer = null;
    done = null;
  }

  boolean active() {
    return done != null;
  }

  boolean reads() {
    return type == Wire.CMD_READ;
  }

  boolean writes() {
    return type == Wire.CMD_WRITE;
  }
}
