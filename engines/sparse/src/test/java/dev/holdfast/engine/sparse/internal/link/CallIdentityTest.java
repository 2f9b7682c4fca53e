package dev.holdfast.engine.sparse.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.Message;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.ReplicaMessages;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.sparse.rpc.FenceRequest;
import dev.holdfast.engine.sparse.rpc.ReplicaControlGrpc;
import dev.holdfast.engine.sparse.rpc.ReplicaProto;
import dev.holdfast.engine.sparse.rpc.Session;
import dev.holdfast.engine.sparse.rpc.SessionRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.rpc.RpcErrors;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Each call names its subject, and has no effect on any other subject. */
@Timeout(60)
class CallIdentityTest {
  private static final long SIZE = 1 << 20;

  /** EXPAND of Perform, CHECKSUM of Layer. */
  private static final int KIND = 4;

  private static final Token TOKEN = new Token(3, 7);

  @TempDir private Path folder;
  private TwoNodes nodes;
  private Session right;

  @BeforeEach
  void admit() throws Exception {
    nodes = new TwoNodes(folder, true);
    ReplicaLocation location = nodes.replica("r", SIZE);
    right = ReplicaMessages.session(location, TOKEN);
    var unused =
        stub()
            .fence(
                FenceRequest.newBuilder()
                    .setLocation(ReplicaMessages.location(location))
                    .setToken(ReplicaMessages.token(TOKEN))
                    .build());
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private ReplicaControlGrpc.ReplicaControlBlockingStub stub() {
    return ReplicaControlGrpc.newBlockingStub(nodes.channels.channel(TwoNodes.FAR));
  }

  @Test
  void everyRequestNamesItsSubject() {
    for (ServiceDescriptor service : ReplicaProto.getDescriptor().getServices()) {
      service
          .getMethods()
          .forEach(
              method ->
                  assertThat(namesASubject(method.getInputType()))
                      .as("%s names a session, a location or a volume", method.getFullName())
                      .isTrue());
    }
  }

  private static boolean namesASubject(Descriptor request) {
    return request.getFields().stream()
        .anyMatch(
            field ->
                field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                    ? List.of("Session", "Location").contains(field.getMessageType().getName())
                    : field.getName().equals("volume"));
  }

  @Test
  void callForAnotherSubjectIsRefusedWithoutAnEffect() {
    List<Session> wrong =
        List.of(
            right.toBuilder().setVolume("another").build(),
            right.toBuilder().setReplica("another").build(),
            right.toBuilder().setToken(ReplicaMessages.token(new Token(3, 8))).build(),
            right.toBuilder().setToken(ReplicaMessages.token(new Token(2, 7))).build(),
            Session.getDefaultInstance());
    for (MethodDescriptor<?, ?> method : ReplicaControlGrpc.getServiceDescriptor().getMethods()) {
      String name = method.getBareMethodName();
      if (!"Fence".equals(name)) {
        for (Session session : wrong) {
          Optional<ErrorCode> refusal = call(method, session);
          // An absent session has ended.
          if ("Close".equals(name)) {
            assertThat(refusal).as("%s of %s", name, session).isEmpty();
          } else {
            assertThat(refusal)
                .as("%s of %s", name, session)
                .isPresent()
                .get()
                .isIn(ErrorCode.UNREACHABLE, ErrorCode.FORBIDDEN);
          }
        }
      }
    }
    assertThat(stub().snapshots(SessionRequest.newBuilder().setSession(right).build())).isNotNull();
  }

  @SuppressWarnings("unchecked") // Requests and replies of generated methods are messages.
  private Optional<ErrorCode> call(MethodDescriptor<?, ?> method, Session session) {
    MethodDescriptor<Message, Message> called = (MethodDescriptor<Message, Message>) method;
    Message empty =
        ((MethodDescriptor.PrototypeMarshaller<Message>) called.getRequestMarshaller())
            .getMessagePrototype();
    Descriptor type = empty.getDescriptorForType();
    Message.Builder request = empty.toBuilder().setField(type.findFieldByName("session"), session);
    FieldDescriptor kind = type.findFieldByName("kind");
    if (kind != null) {
      request.setField(kind, kind.getEnumType().findValueByNumber(KIND));
    }
    try {
      ClientCalls.blockingServerStreamingCall(
              nodes.channels.channel(TwoNodes.FAR), called, CallOptions.DEFAULT, request.build())
          .forEachRemaining(reply -> assertThat(reply).isNotNull());
      return Optional.empty();
    } catch (StatusRuntimeException e) {
      return Optional.of(RpcErrors.fromStatus("call", e).code());
    }
  }
}
