package dev.holdfast.store.kubernetes.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.json.ResourceJson;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApiAnswersTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "404 | {\"reason\":\"NotFound\",\"details\":{\"name\":\"a\"}}    | NOT_FOUND",
        "404 | {\"reason\":\"NotFound\",\"details\":{\"name\":\"ns\"}}   | UNREACHABLE",
        "404 | {}                                                        | UNREACHABLE",
        "409 | {\"reason\":\"AlreadyExists\"}                            | ALREADY_EXISTS",
        "409 | {\"reason\":\"Conflict\"}                                 | CONFLICT",
        "410 | {\"reason\":\"Expired\"}                                  | EXPIRED",
        "403 | {\"reason\":\"Forbidden\"}                                | FORBIDDEN",
        "422 | {\"reason\":\"Invalid\"}                                  | INVALID",
        "500 | {\"reason\":\"InternalError\"}                            | UNREACHABLE",
        "502 | {}                                                        | UNREACHABLE",
        "503 | {\"reason\":\"ServiceUnavailable\"}                       | UNREACHABLE",
        "504 | {\"reason\":\"Timeout\"}                                  | TIMEOUT",
      })
  void answersBecomeCodes(int status, String document, ErrorCode code) throws Exception {
    KubernetesConnection.Answer answer =
        new KubernetesConnection.Answer(status, new ResourceJson().parse(document));

    assertThat(ApiAnswers.failure(Setting.KIND, "a", answer).code()).isEqualTo(code);
  }
}
