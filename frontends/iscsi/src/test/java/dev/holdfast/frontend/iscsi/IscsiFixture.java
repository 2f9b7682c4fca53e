package dev.holdfast.frontend.iscsi;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.iscsi.internal.IscsiFrontend;
import dev.holdfast.frontend.testkit.FrontendClient;
import dev.holdfast.frontend.testkit.FrontendFixture;
import java.io.IOException;
import java.net.URI;

/** iSCSI in the conformance kit, with one way of moving data. */
record IscsiFixture(IscsiClient.Style style) implements FrontendFixture {

  @Override
  public FrontendProvider frontend() {
    return new IscsiFrontend();
  }

  @Override
  public FrontendClient connect(URI endpoint) throws IOException {
    return IscsiClient.connect(endpoint, style);
  }

  @Override
  public int connections() {
    return style == IscsiClient.Style.JOINT ? IscsiClient.CONNECTIONS : 1;
  }

  @Override
  public boolean connectionsAwaitEachOther() {
    return style == IscsiClient.Style.JOINT;
  }

  @Override
  public int blockSize() {
    return 512;
  }

  @Override
  public String statusOf(ErrorCode code) {
    return switch (code) {
      case NO_SPACE -> "7/2707";
      case FORBIDDEN -> "7/2700";
      case INVALID -> "5/2100";
      case UNSUPPORTED -> "5/2000";
      case NOT_FOUND, ALREADY_EXISTS -> "2/403";
      case BUSY, CONFLICT, EXPIRED -> "2/401";
      case UNREACHABLE -> "4/800";
      case TIMEOUT -> "4/801";
      case IO -> "3";
      case INTERNAL -> "4/4400";
    };
  }
}
