package dev.holdfast.frontend.iscsi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.iscsi.internal.pdu.DataIn;
import dev.holdfast.frontend.iscsi.internal.pdu.Frame;
import dev.holdfast.frontend.iscsi.internal.pdu.LogoutRequest;
import dev.holdfast.frontend.iscsi.internal.pdu.LogoutResponse;
import dev.holdfast.frontend.iscsi.internal.pdu.ScsiCommand;
import dev.holdfast.frontend.iscsi.internal.pdu.ScsiResponse;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A session of several connections whose commands are sent one by one. */
final class JointInitiator implements AutoCloseable {
  static final byte[] NONE = new byte[0];
  static final int BLOCK = 512;
  private static final IscsiClient.Style STYLE = IscsiClient.Style.JOINT;

  private final URI endpoint;
  private final List<IscsiWire> wires = new ArrayList<>();
  private int number;
  private int tag = 100;

  /** Logs in with several connections and consumes the pending unit attentions. */
  JointInitiator(URI endpoint, int connections) throws IOException {
    this.endpoint = endpoint;
    IscsiWire first = IscsiWire.login(endpoint, STYLE);
    wires.add(first);
    number = first.firstCommand();
    for (int cid = 1; cid < connections; cid++) {
      join(cid);
    }
    first.send(command(next(), 0, 0), NONE, 0, 0);
    assertThat(ScsiResponse.parse(expect(0, ScsiResponse.OPCODE)).status()).isEqualTo(2);
  }

  /** Logs in with a further connection. Returns its index. */
  int join(int cid) throws IOException {
    wires.add(wires.get(0).join(endpoint, STYLE, cid, number));
    return wires.size() - 1;
  }

  IscsiWire wire(int index) {
    return wires.get(index);
  }

  /** Returns the number of the next command and advances it. */
  int next() {
    return number++;
  }

  /** Returns the number of the next command. */
  int number() {
    return number;
  }

  void ready(int index, int cmdSn) throws IOException {
    wire(index).send(command(cmdSn, 0, 0), NONE, 0, 0);
  }

  /** Writes a block full of one byte. */
  void write(int index, int cmdSn, int value) throws IOException {
    byte[] data = new byte[BLOCK];
    Arrays.fill(data, (byte) value);
    wire(index).send(command(cmdSn, 0x8a, 1), data, 0, BLOCK);
  }

  void read(int index, int cmdSn) throws IOException {
    wire(index).send(command(cmdSn, 0x88, 1), NONE, 0, 0);
  }

  /** Returns the byte that a read returned. */
  int found(int index) throws IOException {
    Frame frame = wire(index).receive();
    assertThat(frame.opcode()).isEqualTo(DataIn.OPCODE);
    return frame.data().get() & 0xff;
  }

  void good(int index) throws IOException {
    assertThat(ScsiResponse.parse(expect(index, ScsiResponse.OPCODE)).status()).isZero();
  }

  /** Sends a logout request. Returns the response. */
  int logout(int index, int reason, int cid) throws IOException {
    wire(index).send(new LogoutRequest(true, reason, tag++, cid, number, 0), NONE, 0, 0);
    return LogoutResponse.parse(expect(index, LogoutResponse.OPCODE)).response();
  }

  ByteBuffer expect(int index, int opcode) throws IOException {
    Frame frame = wire(index).receive();
    assertThat(frame.opcode()).isEqualTo(opcode);
    return frame.header();
  }

  /** Creates a command; the data of a write are immediate. */
  ScsiCommand command(int cmdSn, int opcode, int blocks) {
    ByteBuffer cdb = ByteBuffer.allocate(16).put(0, (byte) opcode);
    if (blocks > 0) {
      cdb.putInt(10, blocks);
    }
    boolean read = opcode == 0x88;
    boolean write = opcode == 0x8a;
    return new ScsiCommand(
        false, true, read, write, 0, 0, tag++, (long) BLOCK * blocks, cmdSn, 0, cdb);
  }

  @Override
  public void close() throws IOException {
    for (IscsiWire wire : wires) {
      wire.close();
    }
  }
}
