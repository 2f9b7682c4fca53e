package dev.holdfast.frontend.iscsi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.frontend.iscsi.internal.pdu.DataOut;
import dev.holdfast.frontend.iscsi.internal.pdu.NopIn;
import dev.holdfast.frontend.iscsi.internal.pdu.NopOut;
import dev.holdfast.frontend.iscsi.internal.pdu.ReadyToTransfer;
import dev.holdfast.frontend.iscsi.internal.pdu.TaskRequest;
import dev.holdfast.frontend.iscsi.internal.pdu.TaskResponse;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions of several connections (RFC 7143, 4.2.2). */
@Timeout(60)
final class IscsiJointSessionTest extends IscsiJointTestBase {
  private static final int ROUNDS = 100;
  private static final int ABORT_TASK_SET = 2;
  private static final byte[] NONE = new byte[0];

  @Test
  void commandsAreDoneInTheirOrderWhicheverConnectionBringsThemFirst() throws Exception {
    try (JointInitiator initiator = new JointInitiator(endpoint, 3)) {
      for (int i = 0; i < ROUNDS; i++) {
        int write = initiator.next();
        int other = initiator.next();
        int read = initiator.next();
        initiator.read(2, read);
        initiator.ready(1, other);
        initiator.write(0, write, i);
        initiator.good(0);
        initiator.good(1);
        assertThat(initiator.found(2)).isEqualTo(i);
      }
    }
  }

  @Test
  void joiningConnectionGetsNoUnitAttentionThatTheSessionHasReported() throws Exception {
    try (JointInitiator initiator = new JointInitiator(endpoint, 1)) {
      int joined = initiator.join(7);
      initiator.ready(joined, initiator.next());
      initiator.good(joined);
    }
  }

  @Test
  void sessionHasAsManyConnectionsAsItAgreedOn() throws Exception {
    try (JointInitiator initiator = new JointInitiator(endpoint, 4)) {
      assertThatThrownBy(() -> initiator.join(4)).hasMessageContaining("206");
      assertThat(initiator.logout(0, 1, 2)).isZero();
      int joined = initiator.join(4);
      initiator.ready(joined, initiator.next());
      initiator.good(joined);
    }
  }

  @Test
  void joiningASessionOfOneConnectionOrAnEndedOneFails() throws Exception {
    try (IscsiWire single = IscsiWire.login(endpoint, IscsiClient.Style.IMMEDIATE)) {
      assertThatThrownBy(() -> single.join(endpoint, IscsiClient.Style.IMMEDIATE, 1, 7))
          .hasMessageContaining("20a");
    }
    try (JointInitiator initiator = new JointInitiator(endpoint, 2)) {
      assertThat(initiator.logout(1, 0, 0)).isZero();
      assertThatThrownBy(() -> initiator.join(1)).hasMessageContaining("20a");
    }
  }

  @Test
  void connectionOfTheSameNameTakesThePlaceOfTheEarlier() throws Exception {
    try (JointInitiator initiator = new JointInitiator(endpoint, 2)) {
      int again = initiator.join(1);
      initiator.write(again, initiator.next(), 5);
      initiator.good(again);
      initiator.wire(1).send(new NopOut(true, 0, 9, -1, initiator.number(), 0), NONE, 0, 0);
      assertThatThrownBy(() -> initiator.wire(1).receive()).isInstanceOf(IOException.class);
      initiator.read(0, initiator.next());
      assertThat(initiator.found(0)).isEqualTo(5);
    }
  }

  @Test
  void connectionIsLoggedOutByAnother() throws Exception {
    try (JointInitiator initiator = new JointInitiator(endpoint, 3)) {
      ReadyToTransfer asked = askForData(initiator, 1);
      assertThat(initiator.logout(0, 1, 1)).isZero();
      assertThatThrownBy(() -> initiator.wire(1).receive()).isInstanceOf(IOException.class);
      assertThat(initiator.logout(0, 1, 1)).as("it is not there any more").isEqualTo(1);
      assertThat(asked.length()).isEqualTo(JointInitiator.BLOCK);
      assertThat(device.writes()).isZero();
      for (int i = 0; i < ROUNDS; i++) {
        initiator.write(2, initiator.next(), i);
        initiator.good(2);
        initiator.read(0, initiator.next());
        assertThat(initiator.found(0)).isEqualTo(i);
      }
    }
  }

  @Test
  void logoutOfTheSessionEndsAllItsConnections() throws Exception {
    try (JointInitiator initiator = new JointInitiator(endpoint, 3)) {
      assertThat(initiator.logout(1, 0, 0)).isZero();
      for (int i = 0; i < 3; i++) {
        IscsiWire wire = initiator.wire(i);
        assertThatThrownBy(wire::receive).isInstanceOf(IOException.class);
      }
    }
  }

  @Test
  void sessionOutlivesAConnectionThatTookNoCommandWithIt() throws Exception {
    try (JointInitiator initiator = new JointInitiator(endpoint, 2)) {
      initiator.write(1, initiator.next(), 3);
      initiator.good(1);
      initiator.wire(1).close();
      initiator.read(0, initiator.next());
      assertThat(initiator.found(0)).isEqualTo(3);
    }
  }

  @Test
  void sessionWithLostCommandsEndsAndANewOneBegins() throws Exception {
    try (JointInitiator initiator = new JointInitiator(endpoint, 3)) {
      int lost = initiator.next();
      initiator.ready(0, initiator.next());
      initiator.wire(2).close();
      initiator.wire(1).close();
      assertThat(lost).isPositive();
      assertThatThrownBy(() -> initiator.wire(0).receive()).isInstanceOf(IOException.class);
    }
    try (JointInitiator initiator = new JointInitiator(endpoint, 2)) {
      initiator.ready(1, initiator.next());
      initiator.good(1);
    }
  }

  @Test
  void taskSetIsAbortedOnAllConnections() throws Exception {
    try (JointInitiator initiator = new JointInitiator(endpoint, 2)) {
      ReadyToTransfer asked = askForData(initiator, 1);
      initiator
          .wire(0)
          .send(
              new TaskRequest(true, ABORT_TASK_SET, 0, 9, 0, initiator.number(), 0, 0, 0),
              NONE,
              0,
              0);
      assertThat(TaskResponse.parse(initiator.expect(0, TaskResponse.OPCODE)).response()).isZero();
      initiator
          .wire(1)
          .send(
              new DataOut(true, 0, asked.tag(), asked.targetTag(), 0, 0, 0),
              new byte[JointInitiator.BLOCK],
              0,
              JointInitiator.BLOCK);
      initiator.wire(1).send(new NopOut(true, 0, 9, -1, initiator.number(), 0), NONE, 0, 0);
      assertThat(NopIn.parse(initiator.expect(1, NopIn.OPCODE)).tag()).isEqualTo(9);
      assertThat(device.writes()).isZero();
    }
  }

  @Test
  void newSessionOfTheNameEndsAllConnectionsOfTheEarlier() throws Exception {
    long isid = 4711;
    try (IscsiWire first = IscsiWire.login(endpoint, IscsiClient.Style.JOINT, isid);
        IscsiWire second = first.join(endpoint, IscsiClient.Style.JOINT, 1, 7);
        IscsiWire later = IscsiWire.login(endpoint, IscsiClient.Style.IMMEDIATE, isid)) {
      for (IscsiWire wire : List.of(first, second)) {
        wire.send(new NopOut(true, 0, 9, -1, 7, 0), NONE, 0, 0);
        assertThatThrownBy(wire::receive).isInstanceOf(IOException.class);
      }
      later.send(new NopOut(true, 0, 9, -1, 7, 0), NONE, 0, 0);
      assertThat(later.receive().opcode()).isEqualTo(NopIn.OPCODE);
    }
  }

  /** Sends a write whose data the target requests. */
  private static ReadyToTransfer askForData(JointInitiator initiator, int index)
      throws IOException {
    initiator.wire(index).send(initiator.command(initiator.next(), 0x8a, 1), NONE, 0, 0);
    return ReadyToTransfer.parse(initiator.expect(index, ReadyToTransfer.OPCODE));
  }
}
