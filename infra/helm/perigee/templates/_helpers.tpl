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
{{ $image.repository }}:{{ $image.tag | default (index . 0).Chart.AppVersion }}
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
