package dev.holdfast.frontend.nvmeof;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.nvmeof.internal.NvmeofFrontend;
import dev.holdfast.frontend.testkit.FrontendClient;
import dev.holdfast.frontend.testkit.SecureFrontendFixture;
import java.io.IOException;
import java.net.URI;
import java.util.HexFormat;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** NVMe/TCP in the conformance kit, with one set of options. */
record NvmeFixture(HostOptions options) implements SecureFrontendFixture {
  private static final String KEYS = "src/test/resources/tls/keys";
  private static final HostTls TLS =
      HostTls.of(1, 1)
          .withKey(
              HexFormat.of()
                  .parseHex("5512dbb6737d0106f65975b773dfb011ffc344bcf442e2dd6d8bc4870b5d5b03"));

  @Override
  public FrontendProvider frontend() {
    return new NvmeofFrontend(
        name -> name.equals("holdfast.nvmeof.psk") ? Optional.of(KEYS) : Optional.empty());
  }

  @Override
  public FrontendClient connectSecurely(URI endpoint, SSLContext trust) throws IOException {
    return NvmeClient.connect(endpoint, Host.of(options).over(TLS));
  }

  @Override
  public FrontendClient connect(URI endpoint) throws IOException {
    return NvmeClient.connect(endpoint, options);
  }

  @Override
  public int blockSize() {
    return NvmeClient.BLOCK;
  }

  @Override
  public int connections() {
    return 2;
  }

  @Override
  public String statusOf(ErrorCode code) {
    return switch (code) {
      case NO_SPACE -> "81";
      case INVALID -> "2";
      case UNSUPPORTED -> "1";
      case FORBIDDEN -> "286";
      case BUSY -> "82";
      case TIMEOUT -> "21";
      case UNREACHABLE -> "300";
      case NOT_FOUND, ALREADY_EXISTS, CONFLICT, EXPIRED, IO, INTERNAL -> "6";
    };
  }
}
