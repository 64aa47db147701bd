{{- define "perigee.name" -}}
{{- if contains "perigee" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-perigee" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/* Labels of a part: (list . "worker") */}}
{{- define "perigee.selector" -}}
app.kubernetes.io/name: perigee
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}
{{- define "perigee.labels" -}}
{{ include "perigee.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
{{- end }}

{{- define "perigee.image" -}}
{{- $image := (index . 1).image -}}
{{- if $image.digest }}{{ $image.repository }}@{{ $image.digest }}
{{- else }}{{ $image.repository }}:{{ $image.tag | default (index . 0).Chart.AppVersion }}
{{- end }}
{{- end }}

{{/* The environment variable of a configuration key. */}}
{{- define "perigee.variable" -}}
PERIGEE_{{ . | upper | replace "." "_" | replace "-" "_" }}
{{- end }}

{{/* Settings as environment variables: a map of key to value. */}}
{{- define "perigee.settings" -}}
{{- range $key, $value := . }}
- name: {{ include "perigee.variable" $key }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{- define "perigee.bootstrap" -}}
{{ required "kafka.bootstrapServers: name brokers, as host:port" .Values.kafka.bootstrapServers }}
{{- end }}

{{/* The Secret with what gateways show to workers. */}}
{{- define "perigee.linkSecret" -}}
{{ required "link.secretName: name a Secret with the key token" .Values.link.secretName }}
{{- end }}

{{/* The Secret with what operators show. */}}
{{- define "perigee.adminSecret" -}}
{{ required "admin.secretName: name a Secret with the key token" .Values.admin.secretName }}
{{- end }}

{{- define "perigee.admin" -}}
- name: PERIGEE_ADMIN_TOKEN_FILE
  value: /etc/perigee/admin/token
- name: PERIGEE_ADMIN_METRICS_OPEN
  value: {{ .Values.admin.metricsOpen | quote }}
{{- end }}

{{- define "perigee.kafka" -}}
- name: PERIGEE_KAFKA_BOOTSTRAP_SERVERS
  value: {{ include "perigee.bootstrap" . | quote }}
{{- range $key, $value := .Values.kafka.properties }}
- name: {{ include "perigee.variable" (printf "kafka.%s" $key) }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{/* The value of a setting of a part that other fields follow: (list .Values.worker "link.listen" "0.0.0.0:7070"). */}}
{{- define "perigee.value" -}}
{{- $part := index . 0 }}
{{- $key := index . 1 }}
{{- $name := include "perigee.variable" $key | trim }}
{{- $value := get ($part.settings | default dict) $key | default (index . 2) | toString }}
{{- range $part.extraEnv }}
{{- if eq .name $name }}
{{- if not (hasKey . "value") }}{{ fail (printf "extraEnv: give %s as a value, since fields of the pod follow it" $name) }}{{ end }}
{{- $value = .value }}
{{- end }}
{{- end }}
{{- $value }}
{{- end }}

{{/* The port of an address host:port: the same list as above. */}}
{{- define "perigee.port" -}}
{{- $address := include "perigee.value" . | trim }}
{{- $port := regexFind "[0-9]+$" $address }}
{{- if or (eq $port "") (not (contains ":" $address)) }}{{ fail (printf "%s: %q is not an address host:port" (index . 1) $address) }}{{ end }}
{{- $port }}
{{- end }}

{{/* Whole seconds of a duration such as 90s, 10m or 1h: the same list as above. */}}
{{- define "perigee.seconds" -}}
{{- $value := include "perigee.value" . | trim }}
{{- if not (regexMatch "^[0-9]+(ms|s|m|h|d)$" $value) }}{{ fail (printf "%s: %q is not a duration such as 90s or 10m" (index . 1) $value) }}{{ end }}
{{- $count := regexFind "^[0-9]+" $value | int }}
{{- $unit := regexFind "[a-z]+$" $value }}
{{- if eq $unit "ms" }}{{ div (add $count 999) 1000 }}{{ else }}{{ mul $count (get (dict "s" 1 "m" 60 "h" 3600 "d" 86400) $unit) }}{{ end }}
{{- end }}

{{/* Refuses what would give all pods of a part one value where each needs its own, or parts that contradict each other. */}}
{{- define "perigee.consistent" -}}
{{- $part := index . 0 }}
{{- $given := dict }}
{{- range $key, $value := $part.settings }}{{ $_ := set $given (include "perigee.variable" $key | trim) true }}{{ end }}
{{- range $part.extraEnv }}{{ $_ := set $given .name true }}{{ end }}
{{- range list "WORKER_ID" "GATEWAY_ID" }}
{{- if hasKey $given (printf "PERIGEE_%s" .) }}{{ fail (printf "PERIGEE_%s: each pod has its own name as its id, remove the setting" .) }}{{ end }}
{{- end }}
{{- if hasKey $given "PERIGEE_TOPICS_PREFIX" }}{{ fail "PERIGEE_TOPICS_PREFIX: set the value topics.prefix, which the job that makes topics follows too" }}{{ end }}
{{- end }}

{{/* What the chart itself sets of a gateway. */}}
{{- define "perigee.gateway.env" -}}
{{- $workers := printf "%s-worker.%s.svc.%s" (include "perigee.name" .) .Release.Namespace .Values.clusterDomain }}
- name: PERIGEE_GATEWAY_ID
  valueFrom: {fieldRef: {fieldPath: metadata.name}}
- name: PERIGEE_TOPICS_PREFIX
  value: {{ .Values.topics.prefix | quote }}
- name: PERIGEE_WORKERS
  value: {{ printf "srv+%s://_link._tcp.%s/link" (ternary "wss" "ws" (ne .Values.link.tls.workerSecretName "")) $workers }}
- name: PERIGEE_WORKERS_REFRESH
  value: 10s
- name: PERIGEE_LINK_TOKEN_FILE
  value: /etc/perigee/link/token
- name: PERIGEE_ADMIN_LISTEN
  value: 0.0.0.0:7081
{{- include "perigee.admin" . | nindent 0 }}
{{- if .Values.link.tls.workerSecretName }}
- name: PERIGEE_LINK_TLS_CA
  value: /etc/perigee/tls/ca.crt
{{- if .Values.link.tls.gatewaySecretName }}
- name: PERIGEE_LINK_TLS_CERTIFICATE
  value: /etc/perigee/tls/tls.crt
- name: PERIGEE_LINK_TLS_KEY
  value: /etc/perigee/tls/tls.key
{{- end }}
{{- end }}
{{- include "perigee.kafka" . | nindent 0 }}
{{- end }}

{{/* What the chart itself sets of a worker. */}}
{{- define "perigee.worker.env" -}}
{{- $drain := int .Values.worker.drainTimeoutSeconds }}
{{- $term := int .Values.worker.terminationGraceSeconds }}
- name: PERIGEE_WORKER_ID
  valueFrom: {fieldRef: {fieldPath: metadata.name}}
- name: PERIGEE_WORKER_MODE
  value: production
- name: PERIGEE_WORKER_DRAIN_TIMEOUT
  value: {{ $drain }}s
- name: PERIGEE_PROCESS_TERMINATION_GRACE
  value: {{ $term }}s
- name: PERIGEE_LINK_LISTEN
  value: 0.0.0.0:7070
- name: PERIGEE_LINK_TOKEN_FILE
  value: /etc/perigee/link/token
- name: PERIGEE_ADMIN_LISTEN
  value: 0.0.0.0:7071
{{- include "perigee.admin" . | nindent 0 }}
{{- if .Values.link.tls.workerSecretName }}
- name: PERIGEE_LINK_TLS_CERTIFICATE
  value: /etc/perigee/tls/tls.crt
- name: PERIGEE_LINK_TLS_KEY
  value: /etc/perigee/tls/tls.key
{{- if .Values.link.tls.gatewaySecretName }}
- name: PERIGEE_LINK_TLS_CLIENT_CA
  value: /etc/perigee/tls/ca.crt
{{- end }}
{{- end }}
{{- end }}

{{/* Environment of a part: what the chart sets, its settings, its extraEnv; of one name only the last. */}}
{{- define "perigee.env" -}}
{{- $part := index . 1 }}
{{- include "perigee.consistent" (list $part) }}
{{- $given := dict }}
{{- range $part.extraEnv }}{{ $_ := set $given .name true }}{{ end }}
{{- $settings := list }}
{{- range $key, $value := $part.settings }}
{{- $name := include "perigee.variable" $key | trim }}
{{- if not (hasKey $given $name) }}
{{- $settings = append $settings (dict "name" $name "value" ($value | toString)) }}
{{- end }}
{{- end }}
{{- range $settings }}{{ $_ := set $given .name true }}{{ end }}
{{- $all := list }}
{{- range fromYamlArray (index . 0) }}
{{- if not (hasKey $given .name) }}{{ $all = append $all . }}{{ end }}
{{- end }}
{{- concat $all $settings ($part.extraEnv | default list) | toYaml }}
{{- end }}
